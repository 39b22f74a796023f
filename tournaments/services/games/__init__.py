"""Games at tables: start, record, confirm, and continue a match."""
