"""A table around its game: started, sat at, handed on, and its next game."""
