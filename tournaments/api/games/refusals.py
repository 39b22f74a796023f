"""What the services of games refuse, as problems of the API."""

from django.utils.translation import gettext_lazy as _

from tournaments.api.problems import REFUSALS, Answer, fault, invalid, refuses
from tournaments.models import Game
from tournaments.services.people.players import NoName
from tournaments.services.play.adopting import NotOpen
from tournaments.services.play.confirming import NotFinished, NotSeated
from tournaments.services.play.matches import GameGoesOn, MatchOver
from tournaments.services.play.playing import PenTaken
from tournaments.services.play.sealing import SealNotOurs
from tournaments.services.play.seating import NotOfClub, SeatsDrawn, SitsElsewhere, SitsTwice
from tournaments.services.play.writing import (
    BadKey,
    KeyReused,
    NoSuchEntry,
    RoundClosed,
    StaleRevision,
)

refuses(
    BadKey,
    "bad-key",
    _("An idempotency key has 8 to 64 letters, digits, - or _."),
    as_status=422,
)
refuses(KeyReused, "key-reused", _("This key was used for another request."), as_status=422)
refuses(NoSuchEntry, "no-such-entry", _("There is no entry at this position."), as_status=404)
refuses(RoundClosed, "round-closed", _("The round is closed: only a director writes here."))
refuses(PenTaken, "pen-taken", _("Somebody else has taken the pen meanwhile."))
refuses(SealNotOurs, "seal-not-ours", _("Whoever made this seal has to prove it."))
refuses(GameGoesOn, "game-goes-on", _("The game is not finished."))
refuses(NotFinished, "game-goes-on", _("The game is not finished."))
refuses(MatchOver, "match-over", _("The match is over."))
refuses(NotSeated, "not-seated", _("Nobody sits at this seat."), as_status=404)
refuses(NotOpen, "not-open-table", _("The table belongs to a club already."))
refuses(
    SeatsDrawn,
    "seats-drawn",
    _("In a tournament only a director changes who sits here and what is played."),
)


def tag_of(row: Game) -> str:
    """The entity tag of a sheet: its revision."""
    return f'"{row.revision}"'


def _stale(error: StaleRevision) -> Answer:
    row = error.sheet.row
    title = _("The sheet has moved on since you read it.")
    more = {"revision": row.revision}
    return Answer(412, "changed-meanwhile", title, more=more, headers={"ETag": tag_of(row)})


def _no_name(_error: NoName) -> Answer:
    text = _("A name has letters, and 80 of them at most.")
    return invalid([fault("no-name", "players", text)])


def _not_of_club(error: NotOfClub) -> Answer:
    text = _("The club has no player called %(name)s. A director can add a new player.")
    params = {"name": error.name}
    return invalid([fault("not-of-club", "players", text % params, params)])


def _sits_twice(error: SitsTwice) -> Answer:
    params = {"player": error.player.public_id}
    text = _("%(name)s sits here twice.") % {"name": error.player.shown_name}
    return invalid([fault("sits-twice", "players", text, params)])


def _sits_elsewhere(error: SitsElsewhere) -> Answer:
    params = {"player": error.player.public_id, "table": error.table}
    text = _("%(name)s already sits at table %(table)s of this round.") % {
        "name": error.player.shown_name,
        "table": error.table,
    }
    return invalid([fault("sits-elsewhere", "players", text, params)])


REFUSALS[StaleRevision] = _stale
REFUSALS[NoName] = _no_name
REFUSALS[NotOfClub] = _not_of_club
REFUSALS[SitsTwice] = _sits_twice
REFUSALS[SitsElsewhere] = _sits_elsewhere
