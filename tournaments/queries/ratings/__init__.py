"""Ratings, leaderboards and predictions."""
