"""Helpers for pages of every topic."""
