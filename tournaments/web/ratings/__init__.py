"""Leaderboards, the curve of a rating, and predictions."""
