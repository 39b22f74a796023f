"""Pages, by topic."""
