"""The members and players of a club."""
