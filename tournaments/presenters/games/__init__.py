"""Sheets of games."""
