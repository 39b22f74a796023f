"""A club: its people and settings, one's own account, its audit, and its numbers."""
