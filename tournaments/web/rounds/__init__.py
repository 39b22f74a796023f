"""The rounds of a tournament: seated, run by its directors, shown on the wall."""
