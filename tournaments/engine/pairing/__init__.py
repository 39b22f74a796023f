"""Seating of rounds, without side effects: the same seed gives the same seating."""
