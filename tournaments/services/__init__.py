"""Writes: one function for each thing a person can do, each one transaction."""
