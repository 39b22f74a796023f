"""The deals of a game: the form that asks for them, and the sheet that shows them."""
