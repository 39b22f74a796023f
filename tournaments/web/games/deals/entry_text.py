"""An entry as one line of text, for histories and confirmations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.presenters.games.sheets import MARKS, marks_of, title_of, totals_text
from tournaments.queries.games.sheets import Sheet
from tournaments.texts import labels


def summary_of(body: Mapping[str, Any], sheet: Sheet) -> str:
    return entry_text(body, sheet.row.players, sheet.game.ruleset)


def entry_text(body: Mapping[str, Any], players: Sequence[str], rules: Ruleset) -> str:
    """Return an entry as one line of text, for a table with these players and rules."""
    parts: list[str] = []
    if "contract" in body:
        parts.append(title_of(rules, body["contract"]))
    if "trump" in body:
        parts.append(labels.suit_symbol(body["trump"]))
    parts += _counts(body.get("counts", {}))
    parts += marks_of(rules, players, body, MARKS)
    # The declarer is omitted: it is unknown only if a partner may declare instead.
    said = ("seat", "by", "declarer") if rules.declares == "pair" else ("seat", "by")
    for name in said:
        if name in body:
            parts.append(players[body[name]])
    if "points" in body:
        parts.append(labels.points_text(body["points"]))
    if "reason" in body:
        parts.append(labels.reason_name(body["type"], body["reason"]))
    if body.get("type") == "totals":
        parts.append(" : ".join(map(labels.points_text, body["totals"])))
        parts.append(totals_text(body))
    if body.get("type") == "passed":
        parts.append(_("Everyone passed"))
    return " · ".join(parts)


def _counts(counts: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Yield the numbers of each unit, with its name if there are several."""
    for unit, numbers in counts.items():
        written = " ".join(map(str, numbers))
        yield f"{labels.unit_name(unit)} {written}" if len(counts) > 1 else written
