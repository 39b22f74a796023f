"""Telling other programs what has happened: addresses to call, and the calls."""
