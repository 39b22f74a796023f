"""Rows and their constraints; scores themselves are always computed by the engine."""

from tournaments.models.play import Game, Write
from tournaments.models.reports import Report

__all__ = ["Game", "Report", "Write"]
