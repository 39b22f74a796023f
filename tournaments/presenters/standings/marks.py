"""Marks beside names in the standings: byes, rulings, late entries, withdrawals, corrections."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from tournaments.engine.standings.round_results import PENALTY
from tournaments.engine.standings.standings import Standing
from tournaments.engine.standings.tallies import BYE_AVERAGE
from tournaments.presenters.standings.standings import Seen, round_label
from tournaments.queries.tournaments.state import SeatedRound, TournamentState, corrected_tables
from tournaments.texts.labels import MINUS, points_text, ruling_name

LEGEND: Mapping[str, str | Promise] = {
    "bye": gettext_lazy("Sat out: the points of a bye count."),
    "bye-average": gettext_lazy(
        "Sat out: the average of the rounds played counts, and changes with each of them."
    ),
    "penalty": gettext_lazy("A director’s ruling, taken from the sum."),
    "ruling": gettext_lazy("A director’s ruling on this round."),
    "corrected": gettext_lazy("A sheet was changed after its round was closed."),
    "late": gettext_lazy("Joined later: missed rounds count nothing."),
    "withdrawn": gettext_lazy("Plays no more; the results stay."),
}
"""The kinds of marks in order, with their explanation."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark beside a name: its kind, a key of `LEGEND`, and its text."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of the standings by entrant, and the rounds that each sat out."""

    of: Mapping[str, Sequence[Mark]]
    byes: Mapping[str, Sequence[int]]

    @property
    def legend(self) -> list[tuple[Mark, str]]:
        """Return an example of each kind that occurs, with its explanation."""
        found = {mark.kind: mark for marks in self.of.values() for mark in marks}
        return [(found[kind], str(text)) for kind, text in LEGEND.items() if kind in found]


def marks_of(seen: Seen) -> Marks:
    """Return the marks of the standings that a visitor sees (1 query)."""
    state, corrected = seen.state, corrected_tables(seen.state.tournament)
    counted = [each for each in state.seated_rounds if _counts(seen, each)]
    byes: dict[str, list[int]] = defaultdict(list)
    changed: dict[str, list[int]] = defaultdict(list)
    ruled: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    keys = {entrant.pk: key for key, entrant in state.entrants.items()}
    for each in counted:
        for key in each.byes:
            byes[key].append(each.row.number)
        for table in each.tables:
            for key in table.entrants if table.pk in corrected else ():
                changed[key].append(each.row.number)
        for ruling in each.row.rulings.all():
            ruled[keys[ruling.entrant_id]][ruling.kind].append(each.row.number)
    found = {
        row.entrant: tuple(
            _marks(state, row, byes[row.entrant], ruled[row.entrant], changed[row.entrant])
        )
        for row in seen.rows
    }
    return Marks(found, byes)


def _counts(seen: Seen, each: SeatedRound) -> bool:
    number = each.row.number
    return each.row.published_at is not None and (
        number == seen.only if seen.only else number <= seen.after
    )


def _marks(
    state: TournamentState,
    row: Standing,
    byes: Sequence[int],
    ruled: Mapping[str, Sequence[int]],
    changed: Sequence[int],
) -> Iterator[Mark]:
    entrant = state.entrants[row.entrant]
    if byes:
        kind = "bye-average" if state.settings.bye == BYE_AVERAGE else "bye"
        yield Mark(kind, _in_rounds(state, pgettext("sits out", "bye"), byes))
    for ruling, rounds in ruled.items():
        if ruling != PENALTY:
            yield Mark("ruling", _in_rounds(state, ruling_name(ruling), rounds))
    if row.penalties:
        points = f"{MINUS}{points_text(row.penalties)}"
        yield Mark("penalty", _("penalty %(points)s") % {"points": points})
    if changed:
        yield Mark("corrected", _in_rounds(state, _("corrected"), changed))
    if entrant.joins_in > 1:
        yield Mark("late", _("joined in round %(number)s") % {"number": entrant.joins_in})
    if entrant.withdrawn_at is not None:
        yield Mark("withdrawn", _("withdrawn"))


def _in_rounds(state: TournamentState, mark: str, rounds: Sequence[int]) -> str:
    labels = ", ".join(round_label(state, number) for number in rounds)
    said = {"mark": mark, "rounds": labels}
    text = ngettext("%(mark)s: round %(rounds)s", "%(mark)s: rounds %(rounds)s", len(rounds))
    return text % said
