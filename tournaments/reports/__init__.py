"""The documents: their contents and typesetting."""
