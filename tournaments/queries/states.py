"""The state of what runs, in the sentence that opens its pages."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Round, Tournament
from tournaments.queries.overview import Leader, Overview, Strip
from tournaments.queries.state import can_register
from tournaments.queries.steps import HowFar
from tournaments.texts.labels import ROUND_STATES, points_text, round_name

State = Tournament.State


def tournament_state(row: Tournament, strip: Strip, *, directs: bool) -> tuple[str, str]:
    """Return what leads, a state or the round, and what stands after it and its running clock.

    Only directors read of tables that need them, and how far the last table is.
    """
    far, round_ = strip.far, strip.round_
    if row.state == State.RUNNING and round_ is not None:
        numbers = {"number": round_.number, "rounds": strip.settings.rounds}
        of_all = _("Round %(number)s of %(rounds)s") % numbers
        head = round_name(round_) if round_.stage else of_all
        parts = list(_round_parts(strip, round_, directs=directs))
    else:
        head = state_name(row)
        parts = list(_entrants_parts(row, far, directs=directs))
    if far.here is not None:
        parts.append(_("here: %(here)s") % {"here": far.here})
    if directs and far.step.code in ("add-entrants", "look-at-entrants"):
        text = ngettext(
            "a table needs %(number)s entrant", "a table needs %(number)s entrants", far.needed
        )
        parts.append(text % {"number": far.needed})
    return head[:1].upper() + head[1:], "; ".join(parts)


def state_name(row: Tournament) -> str:
    """Return the state of a tournament; registration closes some hours before the start."""
    shut = row.state == State.REGISTRATION and not can_register(row, timezone.now())
    return _("registration closed") if shut else str(row.get_state_display())


def _entrants_parts(row: Tournament, far: HowFar, *, directs: bool) -> Iterator[str]:
    if row.state == State.RUNNING:
        yield _("no round is seated yet") if directs else _("the round is being prepared")
    text = ngettext("%(number)s entrant", "%(number)s entrants", far.playing)
    yield text % {"number": far.playing}
    if far.withdrawn:
        text = ngettext("%(number)s has withdrawn", "%(number)s have withdrawn", far.withdrawn)
        yield text % {"number": far.withdrawn}
    if row.state == State.FINISHED:
        yield _("the standings are final")
    elif directs and row.event.starts_at:
        yield _("starts at %(time)s") % {"time": row.event.starts_at}
    if directs and row.state == State.DRAFT:
        yield _("only directors see it")


def _round_parts(strip: Strip, round_: Round, *, directs: bool) -> Iterator[str]:
    progress = strip.far.progress
    if round_.closed_at is not None:
        yield str(ROUND_STATES["closed"])
    elif progress is None:
        yield (
            _("only directors see this seating until it is published")
            if directs
            else _("the round is being prepared")
        )
    elif not round_.is_open:
        text = ngettext("%(tables)s table seated", "%(tables)s tables seated", progress["tables"])
        yield text % progress
    else:
        yield from _tables_parts(strip, progress)
    if strip.not_started:
        yield pgettext("of a round", "clock not started")


def _tables_parts(strip: Strip, progress: dict[str, int]) -> Iterator[str]:
    playing = progress["tables"] - progress["finished"]
    text = ngettext("%(number)s table is playing", "%(number)s tables are playing", playing)
    if not playing:
        text = _("all tables have finished")
    elif playing == 1 and strip.last:
        text = _("only table %(table)s is still playing (deal %(deal)s)")
    elif strip.last:
        text = ngettext(
            "%(number)s table is playing, table %(table)s last (deal %(deal)s)",
            "%(number)s tables are playing, table %(table)s last (deal %(deal)s)",
            playing,
        )
    table, deal = strip.last or (0, 0)
    yield text % {"number": playing, "table": table, "deal": deal}
    if strip.called:
        text = ngettext(
            "table %(tables)s has called you",
            "tables %(tables)s have called you",
            len(strip.called),
        )
        yield text % {"tables": ", ".join(map(str, strip.called))}
    if strip.disputed is not None:
        yield _("a deal is disputed at table %(table)s") % {"table": strip.disputed}
    if strip.unconfirmed is not None:
        yield _("table %(table)s is not confirmed") % {"table": strip.unconfirmed}


def player_state(row: Tournament, seen: Overview, entrant: str) -> str:
    """Return where an entrant sits or stands, and how far the final or the next place is."""
    now, standing = seen.current, seen.row_of(entrant)
    table = now.table_of(entrant) if now else None
    rivals = [each for each in seen.rows if standing and each.section == standing.section]
    params: dict[str, Any] = {"number": int(entrant[1:]), "of": len(rivals)}
    result = table.result_of(entrant) if table else None
    if table is not None:
        params |= {"table": table.number}
        text = _("You sit at table %(table)s")
    elif now is not None and entrant in now.byes:
        text = _("You sit this round out")
    elif standing is None:
        text = _("Your number is %(number)s")
    elif row.state == State.FINISHED:
        text = _("You finished in place %(place)s of %(of)s with %(points)s points")
    else:
        text = _("You are in place %(place)s of %(of)s with %(points)s points")
    if result is not None:
        text = _("Your game is over: place %(place)s at table %(table)s with %(points)s points")
        params |= {"place": result[0], "points": points_text(result[1])}
    elif standing is not None:
        params |= {"place": standing.place, "points": points_text(standing.points)}
    parts = [text % params]
    if row.state != State.FINISHED:
        if row.event.starts_at and not seen.rounds:
            parts.append(_("starts at %(time)s") % {"time": row.event.starts_at})
        if entrant not in seen.here:
            parts.append(_("you have withdrawn"))
        elif standing is not None:
            parts += filter(None, [_way(seen, standing)])
    return "; ".join(parts)


def _way(seen: Overview, standing: Leader) -> str:
    """Return how far the final is, or else the next place; empty for the first."""
    if standing.entrant in seen.finalists(standing.section):
        return _("you play the final")
    rival, above = seen.cut_of(standing), seen.next_of(standing)
    if rival is not None:
        inside = seen.rows.index(standing) < seen.rows.index(rival)
        apart: Points = standing.points - rival.points
        text = (
            _("%(points)s points inside the cut for the final")
            if inside
            else _("%(points)s points to the final")
        )
        return text % {"points": points_text(apart if inside else -apart)}
    if above is None:
        return ""
    points = points_text(above.points - standing.points)
    return _("%(points)s points to place %(place)s") % {"points": points, "place": above.place}


def club_state(players: int, came: int) -> str:
    """Return how many play in a club, and how many came to its last evening."""
    parts = [ngettext("%(number)s player", "%(number)s players", players) % {"number": players}]
    if came:
        text = ngettext(
            "%(number)s came to the last evening", "%(number)s came to the last evening", came
        )
        parts.append(text % {"number": came})
    return "; ".join(parts)


A_TABLE = 4
"""The seats of most games."""


def new_club_state(players: int) -> str:
    """Return how many play in a club without evenings, and the tables that they fill."""
    tables, over = divmod(players, A_TABLE)
    numbers = {"number": players, "tables": tables, "over": over, "more": A_TABLE - over}
    if not players:
        return _("No player yet")
    if not tables:
        text = ngettext("%(number)s player", "%(number)s players", players)
        more = ngettext(
            "a table needs %(more)s more", "a table needs %(more)s more", A_TABLE - over
        )
        return f"{text % numbers}; {more % numbers}"
    text = ngettext(
        "%(number)s players, %(tables)s table", "%(number)s players, %(tables)s tables", tables
    )
    rest = ngettext(
        "%(over)s has no chair until %(more)s more come",
        "%(over)s have no chair until %(more)s more come",
        over,
    )
    return "; ".join([text % numbers, *([rest % numbers] if over else [])])


def days_away(day: date, today: date) -> str:
    """Return how far a day is, as people say it."""
    number = (day - today).days
    text = ngettext("in %(number)s day", "in %(number)s days", number) % {"number": number}
    return {0: _("today"), 1: _("tomorrow")}.get(number, text)
