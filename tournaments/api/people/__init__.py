"""Players of a club, what their games add up to, and who they are; and one's own account."""
