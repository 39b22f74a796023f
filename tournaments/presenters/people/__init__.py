"""Players and their statistics."""
