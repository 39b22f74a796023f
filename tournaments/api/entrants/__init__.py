"""Entrants of tournaments: registered, checked in, withdrawn, replaced for a round."""
