"""Rows and their constraints. The engine always computes the scores."""

from tournaments.models.audit import AuditEntry, AuditRow
from tournaments.models.checks import Check, Difference
from tournaments.models.clubs import Club, Confirmations, Invitation, Member, Role, Season
from tournaments.models.emails import Email
from tournaments.models.events import Draw, Event, Round, Table
from tournaments.models.feed import ChangeFeed, FeedSpan, NewLine
from tournaments.models.games import Confirmation, DealReview, Game, Match, Revision, Seat
from tournaments.models.kept_sums import KeptSums
from tournaments.models.notifications import Notification, Subscription
from tournaments.models.open_tables import OpenTable
from tournaments.models.partitions import Partition
from tournaments.models.people import Merge, Player, User, Visitor
from tournaments.models.phones import PhoneTransfer, SavedGame
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
from tournaments.models.rulesets import HouseRuleset
from tournaments.models.site import Backup, Worker
from tournaments.models.tokens import IdempotencyRecord, PersonalToken, Scope
from tournaments.models.tournaments import (
    Entrant,
    Ruling,
    Sitting,
    Substitute,
    Tournament,
    UnusedCard,
)
from tournaments.models.webhooks import Delivery, EventType, Webhook

__all__ = [
    "AuditEntry",
    "AuditRow",
    "Backup",
    "ChangeFeed",
    "Check",
    "Club",
    "Confirmation",
    "Confirmations",
    "DealReview",
    "Delivery",
    "Difference",
    "Draw",
    "Email",
    "Entrant",
    "Event",
    "EventType",
    "FeedSpan",
    "Game",
    "HouseRuleset",
    "IdempotencyRecord",
    "Invitation",
    "KeptSums",
    "Match",
    "Member",
    "Merge",
    "NewLine",
    "Notification",
    "OpenTable",
    "Partition",
    "PersonalToken",
    "PhoneTransfer",
    "Player",
    "PlayerRating",
    "RatedRound",
    "RatingChange",
    "RatingCount",
    "RatingDue",
    "RatingLedger",
    "RatingPool",
    "Report",
    "Revision",
    "Role",
    "Round",
    "Ruling",
    "SavedGame",
    "Scope",
    "Season",
    "Seat",
    "Sitting",
    "Subscription",
    "Substitute",
    "Table",
    "Tournament",
    "UnusedCard",
    "User",
    "Visitor",
    "Webhook",
    "Worker",
]
