"""Standings of tournaments and leagues."""
