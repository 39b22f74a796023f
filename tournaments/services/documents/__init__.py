"""Documents asked for, built once, kept for a while."""
