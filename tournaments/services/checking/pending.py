"""Ratings that wait to be computed: what they are meanwhile is not yet wrong."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.engine.ratings import MODEL
from tournaments.models import Club, RatingDue, RatingLedger


@dataclass(frozen=True)
class Pending:
    """From which moment on ratings are to be computed again; `everything`: they all are."""

    everything: bool
    since: dict[int | None, datetime]

    def covers(self, club: int | None, at: datetime) -> bool:
        """Whether what was rated at a moment, in a club or on the server, waits."""
        since = self.since.get(club)
        return self.everything or (since is not None and at >= since)


def load_pending() -> Pending:
    """What waits, of the moment in which all else is read (3 queries)."""
    taking_part = set(Club.objects.filter(in_server_ratings=True).values_list("pk", flat=True))
    since: dict[int | None, datetime] = {}
    for club, moment in RatingDue.objects.values_list("club_id", "since"):
        # Whoever has computed a club that takes part calls for the server's then.
        for scope in {club, None} if club in taking_part else {club}:
            since[scope] = min(moment, since.get(scope, moment))
    ledger = RatingLedger.objects.first()
    return Pending(ledger is not None and ledger.model != MODEL, since)
