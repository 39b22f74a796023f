"""Photographs of sheets on paper: where everything stands on one, and how it is read."""
