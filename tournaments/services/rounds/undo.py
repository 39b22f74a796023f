"""Undo a director's last act in a tournament, as long as nothing depends on it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.models import AuditEntry, Entrant, Revision, Round, Ruling, Tournament
from tournaments.services.audit import Actor
from tournaments.services.entrants.registration import return_entrant
from tournaments.services.rounds.changes import Exchange, exchange_seats
from tournaments.services.rounds.comings import is_as_decided, undo_coming
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
    *("fee-paid", "fee-not-paid", "seal-rounds"),
)
"""Actions after which an earlier act can still be undone."""

UNDOABLE = (
    *("publish-round", "take-back-round", "close-round", "withdraw-entrant", "rule"),
    *("withdraw-ruling", "move-section", "exchange-seats", "put-line-up", "change-seating"),
    *("leave-table", "arrive-late"),
)
"""The actions that directors can undo."""


def last_act(tournament: Tournament, at: datetime) -> AuditEntry | None:
    """Return the audit entry of the act that directors can undo now (up to 3 queries)."""
    acts = AuditEntry.objects.filter(event=tournament.event_id, kind=AuditEntry.Kind.EVENT)
    last = acts.exclude(action__in=PASSED_OVER).order_by("-pk").first()
    if last is None or last.action not in UNDOABLE or at - last.at > UNDO_WITHIN:
        return None
    return last if _is_independent(tournament, last) else None


def marked_together(tournament: Tournament, at: datetime) -> dict[str, list[int]]:
    """Return the numbers of those who were last marked with one tap: `here`, and `paid` (1 query).

    Without those unmarked since; ten minutes later there are none.
    """
    marks, undoing = {"check-in": "here", "fee-paid": "paid"}, ("check-out", "fee-not-paid")
    acts = AuditEntry.objects.filter(event=tournament.event_id, at__gt=at - UNDO_WITHIN)
    # Marks of one, of which there are many, are left out.
    of_many = Q(action__in=marks, after__entrants__1__isnull=False)
    marked: dict[str, list[int]] = {"here": [], "paid": []}
    for act in acts.filter(of_many | Q(action__in=undoing)).order_by("pk"):
        numbers = [number_of(key) for key in details_of(act)["entrants"]]
        if act.action in marks:
            marked[marks[act.action]] = numbers
        else:
            mark = "here" if act.action == "check-out" else "paid"
            marked[mark] = [number for number in marked[mark] if number not in numbers]
    return marked


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
            _undo(tournament, last, by, at)
        except ObjectDoesNotExist as error:
            # A round or an entrant of the act is gone.
            raise Depended(sentence=_("It cannot be undone.")) from error
    return last


def _why_not(tournament: Tournament, entry_pk: int, at: datetime) -> Text:
    """Return why an act cannot be undone now."""
    acts = AuditEntry.objects.filter(event=tournament.event_id, kind=AuditEntry.Kind.EVENT)
    entry = acts.filter(pk=entry_pk, action__in=UNDOABLE).first()
    later = acts.filter(pk__gt=entry_pk).exclude(action__in=PASSED_OVER).order_by("pk")
    if entry is None:
        return _("It cannot be undone.")
    undone = later.filter(action=UNDONE_BY.get(entry.action, entry.action)).first()
    if undone is not None:
        one, other = (
            (details.get("round"), {*details.get("entrants", ())})
            for details in map(details_of, (entry, undone))
        )
        if one == other:
            return _("It is undone already.")
    if later.exists():
        return _("It stays: something else was done after it.")
    if at - entry.at > UNDO_WITHIN:
        return _("It stays: ten minutes are over.")
    return _("It stays: something that was written or done since depends on it.")


def details_of(entry: AuditEntry) -> dict[str, Any]:
    """Return the values before and after an act of a tournament."""
    return {**(entry.before or {}), **(entry.after or {})}


def _round_of(tournament: Tournament, entry: AuditEntry) -> Round:
    return tournament.event.rounds.get(number=details_of(entry)["round"])


def _is_independent(tournament: Tournament, entry: AuditEntry) -> bool:
    """Return whether nothing that was written or done since depends on an act."""
    details = details_of(entry)
    of_round = {
        "game__table__round__event": tournament.event_id,
        "game__table__round__number": details.get("round"),
    }
    independent = True
    match entry.action:
        case "publish-round":
            independent = not Revision.objects.of_entries().filter(**of_round).exists()
        case "take-back-round":
            # No sheet was deleted with it.
            independent = "lifecycle" in details and "records" not in details
        case "close-round":
            round_ = tournament.event.rounds.filter(number=details["round"]).first()
            independent = round_ is not None and can_reopen(tournament, round_)
        case "move-section":
            independent = not tournament.event.rounds.exclude(stage="").exists()
        case "exchange-seats":
            numbers = [number_of(key) for key in details["entrants"]]
            sheets = of_round | {"game__table__sittings__entrant__number__in": numbers}
            independent = not Revision.objects.filter(at__gt=entry.at, **sheets).exists()
        case "change-seating":
            independent = "seating" in details
        case "leave-table" | "arrive-late":
            independent = "chairs" in details and is_as_decided(tournament, entry)
    return independent


def _undo(  # noqa: C901 - a case for each act
    tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime
) -> None:
    details = details_of(entry)
    match entry.action:
        case "publish-round":
            take_back_round(_round_of(tournament, entry).pk, by, at=at)
            # Count only those as here who were.
            before = details.get("checked_in", {})
            rows = list(tournament.entrants.filter(number__in=map(number_of, before)))
            for row in rows:
                row.checked_in = before[row.key]
            Entrant.objects.bulk_update(rows, ["checked_in"])
        case "take-back-round":
            pk = _round_of(tournament, entry).pk
            publish_round(pk, by, at=at, all_the_same=True)
            Round.objects.filter(pk=pk).update(**details["lifecycle"])
        case "close-round":
            reopen_round(_round_of(tournament, entry).pk, by, at=at)
        case "withdraw-entrant":
            entrant = tournament.entrants.get(number=number_of(details["entrants"][0]))
            return_entrant(entrant.pk, by, at=at, as_before=True)
        case "rule":
            _undo_ruling(tournament, entry, by, at)
        case "withdraw-ruling":
            entrant = tournament.entrants.get(number=number_of(details["entrants"][0]))
            ruling = RulingDecision(details["ruling"], details["points"], entry.reason)
            rule(_round_of(tournament, entry).pk, entrant.pk, ruling, by, at=at)
        case "move-section":
            put_back(tournament, entry, by, at)
        case "exchange-seats":
            round_, with_people = _round_of(tournament, entry), details.get("with_people", False)
            back = Exchange(details["entrants"][::-1], with_people, entry.reason)
            exchange_seats(round_.pk, back, by, seen=tournament.revision, at=at)
        case "put-line-up":
            before = (entry.before or {})["entrants"]
            put_line_up(tournament.pk, LineUp(details["round"], details["team"], before), by, at=at)
        case "change-seating":
            before = details["seating"]
            draft = SeatingDraft(before["tables"], before["byes"], before["locked"])
            put_seating(_round_of(tournament, entry).pk, draft, by, at=at)
        case "leave-table" | "arrive-late":
            undo_coming(tournament, entry, by, at)


def _undo_ruling(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    """Withdraw a ruling, and make those again that it replaced."""
    number = number_of(details_of(entry)["entrants"][0])
    rulings = Ruling.objects.filter(round=_round_of(tournament, entry), entrant__number=number)
    replaced = list(rulings.filter(withdrawn_at=entry.at))
    withdraw_ruling(rulings.filter(withdrawn_at=None).latest("pk").pk, by, at=at)
    for ruling in replaced:
        decision = RulingDecision(ruling.kind, ruling.points, ruling.reason)
        rule(ruling.round_id, ruling.entrant_id, decision, by, at=at)


UNDONE_BY: Mapping[str, str] = {
    "publish-round": "take-back-round",
    "take-back-round": "publish-round",
    "close-round": "reopen-round",
    "withdraw-entrant": "return-entrant",
    "rule": "withdraw-ruling",
    "withdraw-ruling": "rule",
    "leave-table": "undo-coming",
    "arrive-late": "undo-coming",
}
"""The actions that undo other ones; the rest are undone by their own."""
