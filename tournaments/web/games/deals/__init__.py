"""The deals of a game: the entry form, and the sheet."""
