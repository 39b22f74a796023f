"""The pages on which a club takes over players and past evenings from files."""
