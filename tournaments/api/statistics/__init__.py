"""Statistics of a club."""
