"""Tables of clubs, for whoever has their card or their sheet."""
