"""The season of a player as a document."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from tournaments.engine.standings.standings import Standing
from tournaments.models import Entrant, Game, Player, Report, Season, Tournament
from tournaments.queries.leaderboards import Frame, draw_curve
from tournaments.queries.player_pages import (
    ListedGame,
    badges_of,
    contracts_of,
    figures_of,
    listed_games,
    opponents_of,
    places_of,
    rows_of,
    rulesets_of,
)
from tournaments.queries.players import (
    add_up,
    games_of,
    meetings,
    rating_row,
    ratings_of,
    seats_beside,
    steps_of,
)
from tournaments.queries.ratings import displayed
from tournaments.queries.standings import standings_seen
from tournaments.queries.state import load_states, rules_of_tournament
from tournaments.reports.pages import Data, Heading, OnProgress, document, page_data
from tournaments.texts.labels import family_name, points_text

READING = Report.Step.READING

AT_ONCE = 200
"""Rows of games read at a time."""

COURSES_AT_ONCE = 10


TournamentPlace = tuple[Tournament, Standing, int]
"""A finished tournament, the standing of a player, or their pair, and the number of places."""


class PlayerSeason:
    """The results of a player in one family of games, in a season or (None) at any time.

    `games` are finished ones, the latest first; `steps` are the rating changes in the season.

    Raises: ValueError: the request of the report is not valid.
    """

    def __init__(self, report: Report, progress: OnProgress) -> None:
        player = report.player
        if player is None or player.removed_at is not None:
            raise ValueError("no player to tell of")
        self.player = player
        key, self.season = report.parameters.get("season"), None
        if key is not None:
            self.season = Season.objects.filter(club=report.club, pk=key).first()
            if self.season is None:
                raise ValueError("no such season")
        every = [game for game in games_of(player, None) if game.finished]
        counted = Counter(game.family for game in every)
        family = report.parameters.get("game")
        if family not in counted:
            family = max(counted, key=counted.__getitem__, default="")
        self.family = family
        self.games = [
            game
            for game in every
            if game.family == family and (self.season is None or game.season == self.season.pk)
        ]
        progress(READING)
        keys = {game.pk for game in self.games}
        rating = rating_row(ratings_of(player), family)
        steps = [] if rating is None else steps_of(rating)
        self.sums = add_up(self.games)
        self.steps = [step for step in steps if step.game in keys]
        self.met = meetings(self.games, seats_beside(player))
        self.tournaments = list(_placed(player, self.season, family, progress))


def rows_in_batches(
    found: PlayerSeason, progress: OnProgress, most: int | None = None
) -> Iterator[ListedGame]:
    """Yield the games, the latest first (`most` of them), read in batches."""
    games = found.games[:most]
    total = len(games)
    for first in range(0, total, AT_ONCE):
        batch = games[first : first + AT_ONCE]
        rows: dict[int, Game] = rows_of(batch)
        # A game deleted meanwhile is left out.
        yield from listed_games([game for game in batch if game.pk in rows], found.steps, rows)
        progress(READING, first + len(batch), total)


def _placed(
    player: Player, season: Season | None, family: str, progress: OnProgress
) -> Iterator[TournamentPlace]:
    entries = Entrant.objects.competing().filter(Q(player=player) | Q(partner=player))
    over = Tournament.objects.filter(state=Tournament.State.FINISHED, entrants__in=entries)
    if season is not None:
        over = over.filter(event__season=season)
    rows = over.select_related("event").order_by("-event__held_on", "-pk")
    of_family = [row for row in rows if rules_of_tournament(row).family == family]
    for first in range(0, len(of_family), COURSES_AT_ONCE):
        for state in load_states(of_family[first : first + COURSES_AT_ONCE]):
            standings = standings_seen(state, directs=False).rows
            for row in standings:
                if player in state.entrants[row.entrant].players:
                    yield state.tournament, row, len(standings)
        progress(READING, first, len(of_family))


MOST_OPPONENTS = 8
MOST_TOURNAMENTS = 12
MOST_GAMES = 50
"""Games that fill two pages; the page of the player has all games."""

WIDE = Frame(width=680, height=200)
"""The size of the curve, in the units of its drawing."""


@document(Report.Kind.PLAYER_SEASON, note=gettext_lazy("Rating, places, opponents and each game."))
def player_season(report: Report, progress: OnProgress) -> Data:
    """Return the data of the results of a player."""
    found = PlayerSeason(report, progress)
    name = found.player.shown_name
    time = found.season.name if found.season is not None else _("All the time")
    heading = Heading(
        title=name,
        lines=[" · ".join(part for part in (time, family_name(found.family)) if part)],
        event=name,
        date=time,
        description=f"{name}, {time}",
    )
    sums = found.sums
    return page_data(heading, report.club, words=_words()) | {
        "figures": _figures(found),
        "curve": _curve(draw_curve(found.steps, None, WIDE)),
        "places": [
            {
                "name": _("of %(sides)s") % {"sides": view["sides"]},
                "rows": [
                    {
                        "place": str(row["place"]),
                        "games": str(row["games"]),
                        "share": row["share"],
                        "bar": row["bar"],
                    }
                    for row in view["rows"]
                ],
            }
            for view in places_of(sums)
        ],
        "extremes": _extremes(found),
        "tournaments": [_tournament(placed) for placed in found.tournaments[:MOST_TOURNAMENTS]],
        "contracts": [
            [
                {"text": row["name"], "below": _("favourite") if row["favourite"] else ""},
                str(row["declared"]),
                row["earned"],
                str(row["others"]),
                row["earned_otherwise"],
            ]
            for row in contracts_of(sums, rulesets_of(found.games))
        ],
        "badges": [
            {"name": row["name"], "meaning": row["meaning"], "times": str(row["number"])}
            for row in badges_of(sums)
        ],
        "opponents": [_opponent(one) for one in opponents_of(found.met, MOST_OPPONENTS)],
        "games": [_game(one) for one in rows_in_batches(found, progress, MOST_GAMES)],
        "games_note": _("the last %(shown)s of %(number)s")
        % {"shown": MOST_GAMES, "number": len(found.games)}
        if len(found.games) > MOST_GAMES
        else "",
    }


def _words() -> dict[str, str]:
    return {
        "rating": _("Rating"),
        "curve": _("The rating from game to game"),
        "no_rating": _("No game has counted for the rating."),
        "places": _("Places"),
        "tournaments": _("Tournaments"),
        "contracts": pgettext("of a player", "Contracts"),
        "contracts_note": _("points per deal on average"),
        "badges": _("Badges"),
        "opponents": _("Against others"),
        "games": pgettext("played", "Games"),
        "none": _("None yet."),
        "contract": _("Contract"),
        "declared": pgettext("contracts", "Declared"),
        "otherwise": pgettext("contracts", "Otherwise"),
        "points": _("Points"),
        "player": _("Player"),
        "met": pgettext("played", "Games"),
        "above": _("Ended above"),
        "day": _("Day"),
        "event": pgettext("evening or tournament", "Event"),
        "place": pgettext("in standings", "Place"),
        "change": pgettext("column", "Change"),
    }


def _figures(found: PlayerSeason) -> list[Data]:
    sums = found.sums
    details = [{"name": _("Finished games"), "value": str(sums.games), "note": ""}]
    details += [
        {"name": one["name"], "value": one["value"], "note": one["share"]}
        for one in figures_of(sums)
    ]
    if found.steps:
        first, last = displayed(found.steps[0].before).points, displayed(found.steps[-1].after)
        change = last.points - first
        sign = "+" if change > 0 else ""
        details.append({"name": _("Rating at the start"), "value": str(first), "note": ""})
        note = f"{sign}{points_text(change)} · ± {last.within}"
        details.append({"name": _("Rating at the end"), "value": str(last.points), "note": note})
    return details


def _curve(curve: dict[str, Any] | None) -> Data | None:
    if curve is None:
        return None
    return {
        "width": WIDE.width,
        "height": WIDE.height,
        "left": WIDE.left,
        "right": WIDE.width - WIDE.right,
        "bottom": WIDE.height - WIDE.bottom,
        "line": _places(curve["line"]),
        "band": _places(curve["band"]),
        "dots": [[*dot] for dot in curve["dots"]],
        "end": [*curve["end"]],
        "marks": curve["marks"],
        "dates": curve["dates"],
    }


def _places(points: str) -> list[list[float]]:
    return [[float(part) for part in place.split(",")] for place in points.split()]


def _extremes(found: PlayerSeason) -> list[Any]:
    ends = [game for game in (found.sums.best, found.sums.worst) if game is not None]
    if found.sums.games < 2:
        return []
    names = (_("Best game"), _("Worst game"))
    rows = listed_games(ends, found.steps, rows_of(ends))
    return [
        [
            {"text": name, "below": f"{_day(one.row.played_at)} · {one.others}"},
            points_text(one.points),
        ]
        for name, one in zip(names, rows, strict=True)
    ]


def _day(at: datetime) -> str:
    return date_format(timezone.localtime(at), "SHORT_DATE_FORMAT")


def _tournament(placed: TournamentPlace) -> list[Any]:
    tournament, row, entrants = placed
    day = date_format(tournament.event.held_on, "SHORT_DATE_FORMAT")
    place = f"{row.place}{'=' if row.shared else ''}"
    return [
        {"text": tournament.event.name, "below": day},
        points_text(row.points),
        _("%(place)s of %(number)s") % {"place": place, "number": entrants},
    ]


def _opponent(one: dict[str, Any]) -> list[Any]:
    player, meeting = one["player"], one["meeting"]
    name = (player.shown_name if player else "") or _("removed player")
    pair = ngettext("%(games)s as a pair", "%(games)s as a pair", meeting.together)
    below = pair % {"games": meeting.together} if meeting.together else ""
    above = f"{meeting.above} · {one['above']}" if meeting.against else "–"
    return [{"text": name, "below": below}, str(meeting.games), above]


def _game(one: ListedGame) -> list[Any]:
    event = one.row.table.round.event.name if one.row.table else one.row.title
    change = (
        "" if one.change is None else f"{'+' if one.change > 0 else ''}{points_text(one.change)}"
    )
    return [
        _day(one.row.played_at),
        {"text": event, "below": one.others},
        str(one.place),
        points_text(one.points),
        change or "–",
        str(one.rating.points) if one.rating else "–",
    ]
