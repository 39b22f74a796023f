"""Leaderboards and rating curves."""
