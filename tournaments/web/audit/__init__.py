"""The audit of a club."""
