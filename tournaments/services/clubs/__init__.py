"""A club: its members, seasons, evenings and house rules."""
