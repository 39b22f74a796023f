"""The documents: what stands on them, and how they are set."""
