"""SQLite with a queue of its writers."""
