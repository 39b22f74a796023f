"""Bots that play Turkish King with cards: where the model of ratings was chosen.

`python -m benchmarks.king_bots.generate` makes the games again; they are kept in `games.txt.gz`.
"""
