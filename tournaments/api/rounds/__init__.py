"""Rounds of tournaments: seated, published, run, ruled about, and shown on the wall."""
