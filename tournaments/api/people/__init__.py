"""Members, invitations and players of a club."""
