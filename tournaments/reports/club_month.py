"""The month of a club as a document: evenings, winners, changes, and coming events."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.statistics import Record
from tournaments.models import Club, Event, Player, Report, Tournament
from tournaments.reports.contents import Content, Data, OnProgress, PdfPages, TypstPart
from tournaments.reports.month_statistics import (
    BrokenRecord,
    FamilyMonth,
    Month,
    MonthEvening,
    RankMove,
    add_up_month,
)
from tournaments.reports.page_family import Heading, page_data
from tournaments.texts import labels
from tournaments.texts.families import family_name
from tournaments.texts.labels import points_text

MOST_ON_BOARD = 12
MOST_NEWCOMERS = 12
MOST_EARNERS = 4
"""Most names beside a badge; beyond that only their number."""


def club_month(report: Report, progress: OnProgress) -> Content:
    club = report.club
    assert club is not None
    data = compose_club_month(club, month_asked(report), progress)
    return PdfPages([TypstPart.of("club_month.typ", data)])


def month_asked(report: Report) -> date:
    """Return the first day of the requested month.

    Raises:
        ValueError: the parameter is not a month.
    """
    return datetime.strptime(f"{report.parameters.get('month')}-01", "%Y-%m-%d").date()  # noqa: DTZ007 - a day, no moment


def compose_club_month(club: Club, first: date, progress: OnProgress) -> Data:
    """Return the data of the document of a month, in the active language."""
    month = add_up_month(club, first, progress)
    name = date_format(first, "YEAR_MONTH_FORMAT")
    heading = Heading(
        title=name,
        lines=[_("The month of %(club)s") % {"club": club.name}],
        date=name,
        description=f"{club.name}, {name}",
    )
    return page_data(heading, club, words=_words()) | {
        "figures": _figures(month),
        "evenings": [_evening(each, month) for each in month.evenings],
        "boards": [_board(each, month) for each in month.families if each.board],
        "active": [
            [name_of(month, each.player), str(each.games), str(each.evenings)]
            for each in month.active
        ],
        "newcomers": _newcomers(month),
        "records": [line for each in month.families for line in _records(each, month)],
        "badges": [_badge(badge, month) for badge in month.badges],
        "coming": [_coming(event) for event in month.coming],
    }


def _words() -> dict[str, str]:
    return {
        "evenings": _("Evenings and tournaments"),
        "no_evenings": _("Nothing was played."),
        "board": _("Leaderboard"),
        "active": _("Who played most"),
        "newcomers": _("Played here for the first time"),
        "nobody": _("Nobody."),
        "records": _("Records of the club, set anew"),
        "badges": _("Badges"),
        "coming": _("What comes next"),
        "no_coming": _("Nothing is planned yet."),
        "day": _("Day"),
        "event": pgettext("evening or tournament", "Event"),
        "winner": _("Winner"),
        "players": pgettext("how many", "Players"),
        "games": pgettext("how many", "Games"),
        "evenings_of": pgettext("how many", "Evenings"),
        "place": pgettext("in standings", "Place"),
        "name": _("Name"),
        "rating": _("Rating"),
        "change": pgettext("column", "Change"),
        "moved": _("Moved"),
        "records_head": _("Record"),
        "before": _("Before"),
        "now": _("Now"),
        "badge": _("Badge"),
        "times": pgettext("of badges", "Times"),
    }


def name_of(month: Month, player: int) -> str:
    row: Player | None = month.names.get(player)
    return (row.shown_name if row is not None else "") or _("removed player")


def _names(month: Month, players: Sequence[int]) -> str:
    return " + ".join(name_of(month, player) for player in players)


# The figures at the top.


def _figures(month: Month) -> list[Data]:
    """Return the amounts of play, compared with the month before."""
    now, before = month.sums, month.earlier
    found = [
        _figure(pgettext("how many", "Evenings"), now.evenings, before.evenings),
        _figure(pgettext("how many", "Games"), now.games, before.games),
        _figure(pgettext("how many", "Players"), now.players, before.players),
        {"name": _("For the first time"), "value": str(len(month.newcomers)), "note": ""},
    ]
    if now.evenings:
        seats = sum(each.players for each in month.evenings)
        mean = labels.points_text(round(seats / now.evenings))
        found.append({"name": _("Players an evening"), "value": mean, "note": ""})
    return found


def _figure(name: str, now: int, before: int) -> Data:
    return {"name": name, "value": str(now), "note": _("%(number)s before") % {"number": before}}


# The evenings.


def _evening(evening: MonthEvening, month: Month) -> list[Any]:
    event = evening.event
    return [
        date_format(event.held_on, "j M"),
        {"text": event.name, "below": _kind(evening.tournament)},
        _winner(evening, month),
        str(evening.players) if evening.players else "–",
        str(evening.games) if evening.games else "–",
    ]


def _kind(tournament: Tournament | None) -> str:
    return "" if tournament is None else _("Tournament")


def _winner(evening: MonthEvening, month: Month) -> Any:
    if not evening.winners:
        over = evening.tournament is None or evening.tournament.state == Tournament.State.FINISHED
        return {"text": "–" if over else _("goes on"), "style": "faint"}
    names = _names(month, evening.winners)
    if evening.points is None:
        return {"text": names, "style": "strong"}
    below = _("highest game: %(points)s") % {"points": points_text(evening.points)}
    return {"text": names, "below": below}


def _coming(event: Event) -> list[Any]:
    below = " · ".join(filter(None, (_kind(getattr(event, "tournament", None)), *event.details)))
    return [date_format(event.held_on, "j M"), {"text": event.name, "below": below}]


# The people.


def _newcomers(month: Month) -> Data:
    """Return new players with their games; if there are many, the number of further ones."""
    shown = month.newcomers[:MOST_NEWCOMERS]
    more = len(month.newcomers) - len(shown)
    note = ngettext("and %(number)s more", "and %(number)s more", more) % {"number": more}
    rows = [[name_of(month, player), str(games)] for player, games in shown]
    return {"rows": rows, "note": note if more else ""}


def _board(found: FamilyMonth, month: Month) -> Data:
    return {
        "name": family_name(found.family),
        "rows": [_moved(line, month) for line in found.board[:MOST_ON_BOARD]],
        "note": _("%(shown)s of %(number)s")
        % {"shown": min(MOST_ON_BOARD, len(found.board)), "number": len(found.board)},
    }


def _moved(line: RankMove, month: Month) -> list[Any]:
    return [
        str(line.rank),
        {"text": _arrow(line), "style": "small"},
        name_of(month, line.player),
        str(line.games) if line.games else "–",
        signed(line.change) if line.change is not None else "–",
        str(line.rating.points),
    ]


def _arrow(line: RankMove) -> str:
    """Return the change of rank as a sign that screen readers can read."""
    if line.earlier is None:
        return pgettext("on a leaderboard", "new")
    if line.earlier == line.rank:
        return "="
    up = line.earlier > line.rank
    return f"{'▲' if up else '▼'} {abs(line.earlier - line.rank)}"


def signed(number: int) -> str:
    return f"+{number}" if number > 0 else points_text(number)


# Records and badges.


def _records(found: FamilyMonth, month: Month) -> Iterator[list[Any]]:
    more = "" if len(month.families) == 1 else family_name(found.family)
    for broken in found.broken:
        name = {"text": _record_name(broken), "below": more}
        before = {"text": _value(broken, broken.earlier), "style": "faint"}
        who = _names(month, broken.record.players)
        day = date_format(broken.record.at, "j M")
        yield [name, {"text": who, "below": day}, before, _value(broken, broken.record)]


def _record_name(broken: BrokenRecord) -> str:
    names: Mapping[str, str] = {
        "highest": _("Highest game"),
        "lowest": _("Lowest game"),
        "kings": _("Most Kings"),
        "runs": _("Longest run out"),
    }
    return names[broken.kind]


def _value(broken: BrokenRecord, record: Record | None) -> str:
    if record is None:
        return "–"
    value: Points = record.value
    return points_text(value) if broken.kind in {"highest", "lowest"} else str(value)


def _badge(badge: str, month: Month) -> list[Any]:
    """Return a badge with the players who earned it, and how often."""
    earned = month.badges[badge]
    number = str(sum(earned.values()))
    name = {"text": labels.badge_name(badge), "below": labels.badge_meaning(badge)}
    if len(earned) > MOST_EARNERS:
        count = ngettext("%(number)s player", "%(number)s players", len(earned))
        return [name, count % {"number": len(earned)}, number]
    who = (_times(name_of(month, player), times) for player, times in earned.most_common())
    return [name, ", ".join(who), number]


def _times(name: str, times: int) -> str:
    return name if times == 1 else f"{name} {times}×"
