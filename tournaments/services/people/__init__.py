"""The players of a club, what they may ask for, and whose they are."""
