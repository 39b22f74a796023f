"""The games of a player's season as a spreadsheet."""

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.models import Report
from tournaments.presenters.people.players import ListedGame, rulesets_of
from tournaments.reports.contents import Content, OnProgress
from tournaments.reports.player_games import read_season, rows_in_batches
from tournaments.reports.player_season import season_name
from tournaments.reports.spreadsheet_data import Cell, Column, DataTable, Kind, TableBook
from tournaments.reports.spreadsheets import book_content
from tournaments.texts import labels
from tournaments.texts.families import family_name


def player_tables(report: Report, progress: OnProgress) -> Content:
    """Return the requested list of games, the first game first."""
    found = read_season(report, progress)
    rules = rulesets_of(found.games)
    names = {key: labels.name_of(each) for key, each in rules.items()}
    name, time = found.player.shown_name, season_name(found.season)
    table = DataTable(
        title=pgettext("played", "Games"),
        key="games",
        columns=_columns(),
        rows=[_row(one, names[one.row.ruleset]) for one in rows_in_batches(found, progress)][::-1],
        sums=(5,),
        sums_head=_("Sum"),
        fixed=2,
        landscape=True,
    )
    book = TableBook(
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


def _row(one: ListedGame, ruleset: str) -> tuple[Cell, ...]:
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
