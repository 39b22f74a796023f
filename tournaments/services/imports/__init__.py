"""Import players and past evenings from files: previewed first, then written in one transaction."""
