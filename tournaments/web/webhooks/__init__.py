"""Pages of webhooks: what is called when something happens in a club, for its owners."""
