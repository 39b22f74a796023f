"""The rules of the games, and house rules: read, create and change."""
