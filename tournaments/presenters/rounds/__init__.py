"""Rounds: the wall, and tables as directors see them."""
