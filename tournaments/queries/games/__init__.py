"""Sheets of games, and their versions."""
