"""The audit of a club, and the feed of changes."""
