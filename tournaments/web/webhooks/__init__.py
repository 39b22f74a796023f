"""Pages of webhooks, for the owners of a club."""
