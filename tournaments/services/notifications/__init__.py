"""Notifications of players: by Web Push to their phones, by e-mail to their accounts."""
