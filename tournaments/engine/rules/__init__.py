"""Rules of the games: rulesets, units, entries, and the scoring of a deal."""
