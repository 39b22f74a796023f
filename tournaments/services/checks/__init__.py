"""Compare stored values with a fresh computation, every night and on request."""
