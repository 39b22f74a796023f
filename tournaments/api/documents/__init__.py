"""Documents: what can be had, asked for, followed while they are made, and downloaded."""
