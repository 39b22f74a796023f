"""Ratings computed from games."""
