"""A club: its page, settings and logo."""
