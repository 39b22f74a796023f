"""Rows and their constraints. The engine always computes the scores."""

from tournaments.models.audit import AuditEntry, AuditRow, Delivery, EventType, Webhook
from tournaments.models.clubs import (
    Club,
    Confirmations,
    HouseRuleset,
    Invitation,
    Member,
    Role,
    Season,
)
from tournaments.models.events import Draw, Event, Round, Table
from tournaments.models.feed import ChangeFeed, FeedSpan, NewLine
from tournaments.models.games import (
    Confirmation,
    DealReview,
    Game,
    GamePhoto,
    Match,
    OpenTable,
    PhoneTransfer,
    Revision,
    SavedGame,
    Seat,
)
from tournaments.models.notifications import Notification, Subscription
from tournaments.models.people import (
    IdempotencyRecord,
    KeptSums,
    Merge,
    PersonalToken,
    Player,
    Scope,
    User,
    Visitor,
)
from tournaments.models.ratings import (
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingDue,
    RatingLedger,
    RatingPool,
)
from tournaments.models.reports import Email, Report
from tournaments.models.server import Backup, Check, Difference, Worker
from tournaments.models.tournaments import (
    Entrant,
    Ruling,
    Sitting,
    Substitute,
    Tournament,
    UnusedCard,
)
