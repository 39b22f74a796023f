"""Evenings and seasons of a club."""
