"""The rules of the games: plain Python, no Django; everything is a frozen value."""
