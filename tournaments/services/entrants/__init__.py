"""Entrants of a tournament: registered, checked in, withdrawn, substituted."""
