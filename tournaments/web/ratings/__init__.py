"""Leaderboards, the curve of a rating, and what games and ratings say of one another."""
