"""A realistic demo club, created through the services as people would use them."""
