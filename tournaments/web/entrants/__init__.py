"""The entrants of a tournament: registered, checked in, changed, and gone."""
