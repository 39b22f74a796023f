"""Documents: requested, built once, kept for a limited time."""
