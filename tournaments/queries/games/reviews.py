"""Deals of tournament games that players confirm one by one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from tournaments.engine.play.games import PlayedDeal
from tournaments.engine.standings.tournament_settings import read_settings
from tournaments.models import DealReview, Revision
from tournaments.queries.games.sheets import Sheet

Kind = DealReview.Kind


@dataclass(frozen=True, slots=True)
class ReviewedDeal:
    """A played deal as it stands since a `revision`, and what was said of it.

    `entry` is its index in the game; `confirmers` are the seats that may confirm it.
    """

    position: int
    revision: int
    entry: int
    confirmers: tuple[int, ...]
    reviews: Mapping[str, DealReview]

    @property
    def last(self) -> DealReview | None:
        order = (Kind.SETTLED, Kind.DISPUTED, Kind.CONFIRMED)
        return next((self.reviews[kind] for kind in order if kind in self.reviews), None)

    @property
    def state(self) -> str:
        """Return the kind of its last review; `unconfirmed` without one."""
        return "unconfirmed" if self.last is None else self.last.kind

    @property
    def dispute(self) -> DealReview | None:
        """Return its dispute until a director settles it."""
        return self.reviews[Kind.DISPUTED] if self.state == Kind.DISPUTED else None


@dataclass(frozen=True, slots=True)
class ReviewedDeals:
    """The played deals of a sheet, by position; `minutes` is the time to correct confirmed ones."""

    minutes: int
    deals: Mapping[int, ReviewedDeal]

    def is_fixed(self, position: int, at: datetime) -> bool:
        """Return whether only a director may still change the deal at a position."""
        deal = self.deals.get(position)
        if deal is None or deal.state == "unconfirmed":
            return False
        if deal.state != Kind.CONFIRMED:
            return True
        return at >= deal.reviews[Kind.CONFIRMED].at + timedelta(minutes=self.minutes)


def load_reviews(sheet: Sheet) -> ReviewedDeals | None:
    """Load the reviews of a sheet; None if nobody confirms its deals (up to 2 queries)."""
    document = sheet.row.tournament_settings
    settings = None if document is None else read_settings(document)
    if settings is None or not settings.confirm_deals:
        return None
    said: dict[int, dict[str, DealReview]] = {}
    for review in sheet.row.deal_reviews.all():
        said.setdefault(review.revision, {})[review.kind] = review
    accounts: dict[int | None, int] = dict(sheet.row.seats.values_list("player__account", "number"))
    last = {write.position: write for write in sheet.revisions}
    deals = {}
    for played in sheet.game.deals:
        position = sheet.positions[played.entry]
        write = last[position]
        seats = _confirmers(sheet, played, _writer(sheet, write, accounts))
        reviews = said.get(write.revision, {})
        deals[position] = ReviewedDeal(position, write.revision, played.entry, seats, reviews)
    return ReviewedDeals(settings.correct_minutes, deals)


def _writer(sheet: Sheet, write: Revision, accounts: Mapping[int | None, int]) -> int | None:
    """Return the seat of whoever wrote a revision, if it is known."""
    players: list[str] = sheet.row.players
    if write.author in players:
        return players.index(write.author)
    return None if write.user_id is None else accounts.get(write.user_id)


def _confirmers(sheet: Sheet, played: PlayedDeal, writer: int | None) -> tuple[int, ...]:
    """Return the opponents of the declarer who did not write the deal, the next declarer first.

    Of two players, the declarer confirms what the opponent wrote.
    """
    sides, first = sheet.game.ruleset.sides, sheet.game.declarer
    others = [seat for seat in range(len(sides)) if seat != writer]
    opponents = [seat for seat in others if sides[seat] != sides[played.declarer]]
    return tuple(sorted(opponents or others, key=lambda seat: (seat != first, seat)))
