"""Tournaments: led from draft to finished, entered, seated, run round by round."""
