"""The rules of the games, and house rules: read, made and changed."""
