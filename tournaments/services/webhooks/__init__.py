"""Webhooks: notify other programs of events."""
