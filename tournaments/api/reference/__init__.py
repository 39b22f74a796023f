"""Pages about the API, for the people who write programs."""
