"""A tournament: made, set up, and led from one step to the next."""
