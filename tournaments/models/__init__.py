"""Rows and their constraints; scores themselves are always computed by the engine."""

from tournaments.models.audit import AuditLine
from tournaments.models.checks import Check, Difference
from tournaments.models.clubs import Club, Confirmations, Invitation, Member, Role, Season
from tournaments.models.events import Event, Round, Table
from tournaments.models.letters import Letter
from tournaments.models.matches import Match
from tournaments.models.people import Merge, Player, User
from tournaments.models.play import Confirmation, Game, Seat, Write
from tournaments.models.ratings import (
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingCount,
    RatingDue,
    RatingLedger,
    RatingPool,
)
from tournaments.models.reports import Report
from tournaments.models.rules import HouseRuleset
from tournaments.models.tournaments import Entrant, Ruling, Sitting, Substitute, Tournament

__all__ = [
    "AuditLine",
    "Check",
    "Club",
    "Confirmation",
    "Confirmations",
    "Difference",
    "Entrant",
    "Event",
    "Game",
    "HouseRuleset",
    "Invitation",
    "Letter",
    "Match",
    "Member",
    "Merge",
    "Player",
    "PlayerRating",
    "RatedRound",
    "RatingChange",
    "RatingCount",
    "RatingDue",
    "RatingLedger",
    "RatingPool",
    "Report",
    "Role",
    "Round",
    "Ruling",
    "Season",
    "Seat",
    "Sitting",
    "Substitute",
    "Table",
    "Tournament",
    "User",
    "Write",
]
