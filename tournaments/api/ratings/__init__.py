"""Ratings: leaderboards, the curve of a player, what a game changed, how well they told places."""
