"""Who sits with whom, where, and who sits out: pure, and the same for the same seed."""
