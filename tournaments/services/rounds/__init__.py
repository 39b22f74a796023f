"""Rounds of a tournament: seating, opening, clock, closing, rulings."""
