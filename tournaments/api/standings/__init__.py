"""Standings with their reasons, of a tournament and of a season's league."""
