"""Players and past evenings taken over from files: foreseen first, then written as a whole."""
