"""A believable club to look at, made by the services as people would have made it."""
