"""Records computed without storing anything: a game scored, a round seated."""
