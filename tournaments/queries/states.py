"""The state of what runs, in the sentence that opens its pages."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.models import Round, Tournament
from tournaments.queries.overview import Strip
from tournaments.queries.steps import HowFar
from tournaments.texts.labels import ROUND_STATES, round_name

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
        head = row.get_state_display()
        parts = list(_entrants_parts(row, far, directs=directs))
    if far.here is not None:
        parts.append(_("here: %(here)s") % {"here": far.here})
    if directs and far.step.code in ("add-entrants", "look-at-entrants"):
        text = ngettext(
            "a table needs %(number)s entrant", "a table needs %(number)s entrants", far.needed
        )
        parts.append(text % {"number": far.needed})
    return head[:1].upper() + head[1:], "; ".join(parts)


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
