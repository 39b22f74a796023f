"""Clubs: their settings, and leaving one."""
