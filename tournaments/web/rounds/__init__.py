"""The rounds of a tournament: seating, direction, and the wall page."""
