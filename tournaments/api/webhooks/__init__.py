"""Webhooks of a club: addresses called on events, and their deliveries."""
