"""Tournaments: their life from draft to finished, and import."""
