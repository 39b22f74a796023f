"""Webhooks of a club: who is called when something happens, and what became of the calls."""
