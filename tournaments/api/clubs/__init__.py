"""Clubs: settings, members, invitations, seasons, the audit."""
