"""The evenings of clubs: their rounds, and the tables of each."""
