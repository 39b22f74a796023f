"""Rows and their constraints; scores themselves are always computed by the engine."""

from tournaments.models.matches import Match
from tournaments.models.people import User
from tournaments.models.play import Game, Write
from tournaments.models.reports import Report
from tournaments.models.rules import HouseRuleset

__all__ = ["Game", "HouseRuleset", "Match", "Report", "User", "Write"]
