"""A club: its members, settings and logo."""
