"""Pictures of games, evenings, players and clubs."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from tournaments.engine.documents.games import read_game
from tournaments.engine.play.games import Game, only_totals
from tournaments.engine.play.outcomes import award, courses, decide
from tournaments.models import Report
from tournaments.queries.evenings import evening_of, finished_games
from tournaments.queries.names import facts_of, public_player
from tournaments.queries.ratings import displayed
from tournaments.queries.scoresheets import (
    EarnedBadge,
    badges_of,
    ending_of,
    members_of,
    outcome_of,
    standings_of,
    surprise_of,
)
from tournaments.queries.sheets import load_sheets
from tournaments.queries.standings import public_league
from tournaments.reports.pages import (
    Data,
    OnProgress,
    document,
    picture_side,
    wide_picture,
)
from tournaments.reports.sheets import written_date
from tournaments.reports.standings import compose_standings_picture
from tournaments.texts import labels
from tournaments.texts.labels import points_text

MOST_BADGES = {False: 4, True: 3}
"""The lines of badges in the tall and in the wide picture."""


def compose_picture(record: Mapping[str, Any], *, wide: bool) -> Data:
    """Return the data of the picture of a valid `kingscore-game/1` record.

    Raises: ValueError: the record contains an invalid entry.
    """
    reading = read_game(record, stored=True)
    if reading.game is None or reading.problems:
        raise ValueError(f"no valid game: {reading.problems}")
    game, players = reading.game, reading.players
    outcome, day = decide(game), written_date(reading.played_at)
    badges = badges_of(game, award(game), players)
    over = game.finished
    return {
        "language": get_language(),
        "title": outcome_of(game, outcome, players) if over else labels.name_of(game.ruleset),
        "description": ", ".join(players),
        "wide": wide,
        "remark": surprise_of(game, outcome, badges) or ending_of(game, players),
        "sides": [
            {
                "rank": standing.rank,
                "members": [{"seat": seat, "name": name} for seat, name in standing.members],
                "total": points_text(standing.total),
                "best": standing.out or (over and not standing.sunk and standing.rank == 1),
            }
            for standing in standings_of(game, outcome, players)
        ],
        "course": _course(game, players),
        "badges": _lines(badges, game.ruleset.badges, MOST_BADGES[wide]),
        "foot": " · ".join(filter(None, [labels.name_of(game.ruleset), day])),
        "place": reading.title or reading.place,
    }


def _course(game: Game, players: Sequence[str]) -> list[Data]:
    """Return the totals of each side from zero on, with the seat that gives it its colour.

    Nothing if only the last ones are known.
    """
    if only_totals(game):
        return []
    return [
        {
            "seat": members[0][0],
            "totals": [0.0, *(float(row.totals[side]) for row in game.rows)],
        }
        for side, members in enumerate(members_of(game.ruleset, players))
    ]


def _lines(badges: Sequence[EarnedBadge], of_game: Sequence[str], most: int) -> list[Data]:
    ordered = sorted(badges, key=lambda badge: badge.badge not in of_game)
    visible = ordered if len(ordered) <= most else ordered[: most - 1]
    lines = [
        {
            "name": badge.name,
            "who": ", ".join(holder.name for holder in badge.holders),
            # Where the names have no room; one player is named or left out.
            "number": ""
            if (number := len(badge.holders)) == 1
            else ngettext("%(number)s player", "%(number)s players", number) % {"number": number},
        }
        for badge in visible
    ]
    more = len(badges) - len(visible)
    if more:
        lines.append({"name": f"+ {more}", "who": "", "number": ""})
    return lines


COLOURS = 5
"""People with a colour and a shape of their own; further ones are named without."""

MOST_PEOPLE = 6


def compose_evening_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of the evening of the report's game.

    Raises: ValueError: the report is about no open table.
    """
    table = None if report.game is None else report.game.open_table
    if table is None:
        raise ValueError(f"{report} is of no open table")
    sheets = load_sheets(table.games.order_by("number"))
    evening, lines = evening_of(sheets), courses(finished_games(sheets))
    most = max((row.standing.won for row in evening.rows), default=0)
    return wide_picture(
        evening.headline,
        ", ".join(row.name for row in evening.rows),
        [
            picture_side(
                row.name,
                row.points,
                seat=row.seat if row.seat < COLOURS else None,
                best=bool(most) and row.standing.won == most,
            )
            for row in evening.rows[:MOST_PEOPLE]
        ],
        foot=evening.finished,
        place=written_date(timezone.localtime(table.created_at).isoformat()),
    ) | {
        "course": [
            {"seat": row.seat, "totals": [float(total) for total in lines[row.name]]}
            for row in evening.rows
            if row.seat < COLOURS
        ]
    }


def compose_player_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of a player, as everybody may see them.

    Raises: ValueError: the report is not about a player.
    """
    player, now = report.player, timezone.now()
    if player is None:
        raise ValueError("no player")
    rating, rank, sums, steps = public_player(player, now)
    facts = facts_of(rating, rank, sums)
    points = [displayed(step.after).points for step in steps]
    begin = displayed(steps[0].before).points if steps else 0
    course = [{"seat": 0, "totals": [0, *(each - begin for each in points)]}]
    return wide_picture(
        player.shown_name,
        player.club.name,
        [picture_side(name, value, best=number == 0) for number, (name, value) in enumerate(facts)],
        foot=player.club.name,
        place=written_date(timezone.localdate(now).isoformat()),
    ) | {"course": course if len(points) > 1 else []}


MOST_LINES = 4


def compose_club_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of a club, as everybody may see it.

    Raises: ValueError: the report is not about a club with a league.
    """
    club = report.club
    found = public_league(club, timezone.localdate()) if club else None
    if club is None or found is None:
        raise ValueError("no league")
    season, seen = found
    return wide_picture(
        club.name,
        season.name,
        [
            picture_side(
                seen.people[row.player].shown_name,
                points_text(row.points),
                place=f"{row.place}.",
                best=row.place == 1,
            )
            for row in seen.rows[:MOST_LINES]
        ],
        foot=_("Leading the season"),
        place=season.name,
    )


@document(Report.Kind.PICTURE, Report.Format.PNG)
def picture(report: Report, _progress: OnProgress) -> Data:
    if report.player is not None:
        return compose_player_picture(report)
    if report.game is None and report.event is None:
        return compose_club_picture(report)
    if report.game is None:
        return compose_standings_picture(report)
    if "evening" in report.parameters:
        return compose_evening_picture(report)
    return compose_picture(report.parameters["record"], wide=report.parameters["wide"])
