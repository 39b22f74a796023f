"""A club's games, ratings and entrants, line by line."""
