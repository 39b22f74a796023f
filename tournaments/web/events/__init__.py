"""The evenings and seasons of a club, and the tables of an evening."""
