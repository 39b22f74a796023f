"""Rows and their constraints; scores themselves are always computed by the engine."""

from tournaments.models.audit import AuditLine, ChangeFeed
from tournaments.models.checks import Check, Difference
from tournaments.models.clubs import Club, Confirmations, Invitation, Member, Role, Season
from tournaments.models.events import Event, Round, Table
from tournaments.models.letters import Letter
from tournaments.models.matches import Match
from tournaments.models.people import Merge, Player, User, Visitor
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
from tournaments.models.running import Backup, Worker
from tournaments.models.tokens import KeptAnswer, PersonalToken, Scope
from tournaments.models.tournaments import Entrant, Ruling, Sitting, Substitute, Tournament
from tournaments.models.webhooks import Delivery, Happening, Webhook

__all__ = [
    "AuditLine",
    "Backup",
    "ChangeFeed",
    "Check",
    "Club",
    "Confirmation",
    "Confirmations",
    "Delivery",
    "Difference",
    "Entrant",
    "Event",
    "Game",
    "Happening",
    "HouseRuleset",
    "Invitation",
    "KeptAnswer",
    "Letter",
    "Match",
    "Member",
    "Merge",
    "PersonalToken",
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
    "Scope",
    "Season",
    "Seat",
    "Sitting",
    "Substitute",
    "Table",
    "Tournament",
    "User",
    "Visitor",
    "Webhook",
    "Worker",
    "Write",
]
