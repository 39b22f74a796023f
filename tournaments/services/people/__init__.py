"""The players of a club: add, claim, merge, remove."""
