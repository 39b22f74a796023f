"""The games of a player's season as a table to calculate with."""

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments import words
from tournaments.family_words import family_name
from tournaments.models import Report
from tournaments.reports.contents import Content, Told
from tournaments.reports.player_games import read_season, rows_in_heaps
from tournaments.reports.player_season import season_name
from tournaments.reports.spreadsheets import book_content
from tournaments.reports.tables import Book, Cell, Column, Kind, Table
from tournaments.telling.player_sums import rulesets_of
from tournaments.telling.players import Played


def player_tables(report: Report, told: Told) -> Content:
    """The list of games that a report asks for, the first game first."""
    found = read_season(report, told)
    rules = rulesets_of(found.games)
    names = {key: words.name_of(each) for key, each in rules.items()}
    name, time = found.player.shown_name, season_name(found.season)
    table = Table(
        title=pgettext("played", "Games"),
        key="games",
        columns=_columns(),
        rows=[_row(one, names[one.row.ruleset]) for one in rows_in_heaps(found, told)][::-1],
        sums=(5,),
        sums_head=_("Sum"),
        fixed=2,
        landscape=True,
    )
    book = Book(
        title=f"{name} {time}",
        lines=[name, f"{time} · {family_name(found.family)}"],
        tables=[table],
        format="kingscore-player-season/1",
        facts={"player": name, "season": found.season.name if found.season else None},
    )
    return book_content(book, report)


def _columns() -> tuple[Column, ...]:
    return (
        Column(_("Day"), "played_on", Kind.DATE),
        Column(pgettext("evening or tournament", "Event"), "event"),
        Column(_("Game"), "ruleset"),
        Column(_("Others"), "others"),
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
        Column(pgettext("column", "Change"), "change", Kind.INTEGER),
        Column(_("Rating after"), "rating", Kind.INTEGER),
    )


def _row(one: Played, ruleset: str) -> tuple[Cell, ...]:
    row = one.row
    return (
        timezone.localdate(row.played_at),
        row.table.round.event.name if row.table else row.title,
        ruleset,
        one.others,
        one.place,
        one.points,
        one.change,
        one.rating.points if one.rating else None,
    )
