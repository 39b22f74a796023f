"""The table page: start, score, correct, confirm and follow games."""
