"""Ratings: leaderboards, a player's curve, changes by games, and quality of predictions."""
