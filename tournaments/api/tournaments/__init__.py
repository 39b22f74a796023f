"""Tournaments: made, changed, led from draft to finished, and taken over from records."""
