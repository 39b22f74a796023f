"""The entrants of a tournament: registration, check-in, changes and withdrawal."""
