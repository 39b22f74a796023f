"""Standings, their reasons, and leagues."""
