"""Whole tournaments of Turkish King, simulated to decide how they should be seated.

`python -m benchmarks.seating_evidence` simulates them; `docs/seating.md` shows what came out.
"""
