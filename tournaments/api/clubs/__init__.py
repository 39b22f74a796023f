"""Clubs: settings, members, invitations, seasons, the audit; and one's own account."""
