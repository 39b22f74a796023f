"""Standings and their explanations, in a tournament and in the league of a season."""
