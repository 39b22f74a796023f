"""Ratings and predictions."""
