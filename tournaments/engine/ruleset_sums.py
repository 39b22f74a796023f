"""What the scores of a game add up to, told from its rules alone."""
