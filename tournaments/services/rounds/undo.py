"""Undo a director's last act in a tournament, as long as nothing depends on it."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import AuditEntry, Entrant, Revision, Round, Ruling, Tournament
from tournaments.services.audit import Actor
from tournaments.services.entrants.registration import return_entrant
from tournaments.services.rounds.changes import Exchange, exchange_seats
from tournaments.services.rounds.proposals import LineUp, number_of, put_line_up
from tournaments.services.rounds.rulings import RulingDecision, rule, withdraw_ruling
from tournaments.services.rounds.running import can_reopen, put_back, reopen_round
from tournaments.services.rounds.seating import (
    SeatingDraft,
    publish_round,
    put_seating,
    take_back_round,
)
from tournaments.services.tournaments.lifecycle import Depended, lock_tournament
from tournaments.texts.labels import Text

UNDO_WITHIN = timedelta(minutes=10)

PASSED_OVER = (
    *("open-round", "start-clock", "pause-clock", "add-time", "add-table-time"),
    *("call-director", "answer-call", "take-pen", "shut-door", "check-in", "check-out"),
    "seal-rounds",
)
"""Actions after which an earlier act can still be undone."""


def last_act(tournament: Tournament, at: datetime) -> AuditEntry | None:
    """Return the audit entry of the act that directors can undo now (up to 3 queries)."""
    acts = AuditEntry.objects.filter(event=tournament.event_id, kind=AuditEntry.Kind.EVENT)
    last = acts.exclude(action__in=PASSED_OVER).order_by("-pk").first()
    if last is None or last.action not in UNDOINGS or at - last.at > UNDO_WITHIN:
        return None
    return last if UNDOINGS[last.action][1](tournament, last) else None


def undo_act(tournament_pk: int, entry_pk: int, by: Actor, *, at: datetime) -> AuditEntry:
    """Undo the last act of a tournament's directors, given by its audit entry.

    Raises: Depended, Refused. Nothing is written then.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        last = last_act(tournament, at)
        if last is None or last.pk != entry_pk:
            raise Depended(sentence=_why_not(tournament, entry_pk, at))
        try:
            UNDOINGS[last.action][0](tournament, last, by, at)
        except ObjectDoesNotExist as error:
            # A round or an entrant of the act is gone.
            raise Depended(sentence=_("It cannot be undone.")) from error
    return last


def _why_not(tournament: Tournament, entry_pk: int, at: datetime) -> Text:
    """Return why an act cannot be undone now."""
    acts = AuditEntry.objects.filter(event=tournament.event_id, kind=AuditEntry.Kind.EVENT)
    entry = acts.filter(pk=entry_pk, action__in=UNDOINGS).first()
    later = acts.filter(pk__gt=entry_pk).exclude(action__in=PASSED_OVER).order_by("pk").first()
    if entry is None:
        return _("It cannot be undone.")
    if later is not None and later.action == UNDONE_BY.get(entry.action, entry.action):
        said = (details_of(each) for each in (entry, later))
        one, other = ((each.get("round"), {*each.get("entrants", ())}) for each in said)
        if one == other:
            return _("It is undone already.")
    if later is not None:
        return _("It stays: something else was done after it.")
    if at - entry.at > UNDO_WITHIN:
        return _("It stays: ten minutes are over.")
    return _("It stays: something that was written or done since depends on it.")


def details_of(entry: AuditEntry) -> dict[str, Any]:
    """Return the values before and after an act of a tournament."""
    return {**(entry.before or {}), **(entry.after or {})}


def _round_of(tournament: Tournament, entry: AuditEntry) -> Round:
    return tournament.event.rounds.get(number=details_of(entry)["round"])


def _nothing_written(tournament: Tournament, entry: AuditEntry) -> bool:
    tables = {
        "game__table__round__event": tournament.event_id,
        "game__table__round__number": details_of(entry)["round"],
    }
    return not Revision.objects.of_entries().filter(**tables).exists()


def _unpublish(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    """Take a seating back, and count only those as here who were."""
    take_back_round(_round_of(tournament, entry).pk, by, at=at)
    stood = details_of(entry).get("checked_in", {})
    rows = list(tournament.entrants.filter(number__in=map(number_of, stood)))
    for row in rows:
        row.checked_in = stood[row.key]
    Entrant.objects.bulk_update(rows, ["checked_in"])


def _no_sheet_deleted(_tournament: Tournament, entry: AuditEntry) -> bool:
    return "lifecycle" in details_of(entry) and "records" not in details_of(entry)


def _publish_again(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    round_ = publish_round(_round_of(tournament, entry).pk, by, at=at, all_the_same=True)
    Round.objects.filter(pk=round_.pk).update(**details_of(entry)["lifecycle"])


def _can_reopen(tournament: Tournament, entry: AuditEntry) -> bool:
    round_ = tournament.event.rounds.filter(number=details_of(entry)["round"]).first()
    return round_ is not None and can_reopen(tournament, round_)


def _return(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    number = number_of(details_of(entry)["entrants"][0])
    return_entrant(tournament.entrants.get(number=number).pk, by, at=at, as_before=True)


def _unrule(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    number = number_of(details_of(entry)["entrants"][0])
    rulings = Ruling.objects.filter(round=_round_of(tournament, entry), entrant__number=number)
    replaced = list(rulings.filter(withdrawn_at=entry.at))
    withdraw_ruling(rulings.filter(withdrawn_at=None).latest("pk").pk, by, at=at)
    for each in replaced:
        said = RulingDecision(each.kind, each.points, each.reason)
        rule(each.round_id, each.entrant_id, said, by, at=at)


def _rule_again(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    details = details_of(entry)
    entrant = tournament.entrants.get(number=number_of(details["entrants"][0]))
    said = RulingDecision(details["ruling"], details["points"], entry.reason)
    rule(_round_of(tournament, entry).pk, entrant.pk, said, by, at=at)


def _not_written_since(tournament: Tournament, entry: AuditEntry) -> bool:
    numbers = [number_of(key) for key in details_of(entry)["entrants"]]
    sheets = {
        "game__table__round__event": tournament.event_id,
        "game__table__round__number": details_of(entry)["round"],
        "game__table__sittings__entrant__number__in": numbers,
    }
    return not Revision.objects.filter(at__gt=entry.at, **sheets).exists()


def _exchange_back(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    details, round_ = details_of(entry), _round_of(tournament, entry)
    back = Exchange(details["entrants"][::-1], details.get("with_people", False), entry.reason)
    exchange_seats(round_.pk, back, by, seen=tournament.revision, at=at)


def _seat_as_before(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    stood = details_of(entry)["seating"]
    draft = SeatingDraft(stood["tables"], stood["byes"], stood["locked"])
    put_seating(_round_of(tournament, entry).pk, draft, by, at=at)


def _line_up_before(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    details = details_of(entry)
    stood = LineUp(details["round"], details["team"], (entry.before or {})["entrants"])
    put_line_up(tournament.pk, stood, by, at=at)


Undo = Callable[[Tournament, AuditEntry, Actor, datetime], Any]
UNDOINGS: Mapping[str, tuple[Undo, Callable[[Tournament, AuditEntry], bool]]] = {
    "publish-round": (_unpublish, _nothing_written),
    "take-back-round": (_publish_again, _no_sheet_deleted),
    "close-round": (
        lambda row, entry, by, at: reopen_round(_round_of(row, entry).pk, by, at=at),
        _can_reopen,
    ),
    "withdraw-entrant": (_return, lambda _row, _entry: True),
    "rule": (_unrule, lambda _row, _entry: True),
    "withdraw-ruling": (_rule_again, lambda _row, _entry: True),
    "move-section": (
        put_back,
        lambda row, _entry: not row.event.rounds.exclude(stage="").exists(),
    ),
    "exchange-seats": (_exchange_back, _not_written_since),
    "put-line-up": (_line_up_before, lambda _row, _entry: True),
    "change-seating": (_seat_as_before, lambda _row, entry: "seating" in details_of(entry)),
}
"""How to undo an act, and whether nothing depends on it, by the actions of their audit entries."""

UNDONE_BY: Mapping[str, str] = {
    "publish-round": "take-back-round",
    "take-back-round": "publish-round",
    "close-round": "reopen-round",
    "withdraw-entrant": "return-entrant",
    "rule": "withdraw-ruling",
    "withdraw-ruling": "rule",
}
"""The actions that undo other ones; the rest are undone by their own."""
