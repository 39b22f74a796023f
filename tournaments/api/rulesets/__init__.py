"""The rules of the games, house rules, and the schemas of the records."""
