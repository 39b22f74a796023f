"""A tournament: created, set up, and moved from state to state."""
