"""The play of a game: turns, checks, outcomes, badges, matches and money."""
