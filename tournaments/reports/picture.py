"""The picture of a game, to be shared: who won, the totals, the curve, the badges."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import get_language, ngettext

from tournaments.engine.documents.games import read_game
from tournaments.engine.play.games import Game, only_totals
from tournaments.engine.play.outcomes import award, decide
from tournaments.presenters.games.sheets import (
    EarnedBadge,
    badges_of,
    ending_of,
    members_of,
    outcome_of,
    standings_of,
    surprise_of,
)
from tournaments.reports.scoresheet import written_date
from tournaments.texts import labels
from tournaments.texts.labels import points_text

Data = dict[str, Any]

MOST_BADGES = {False: 4, True: 3}
"""The lines of badges in the tall and in the wide picture."""


def compose_picture(record: Mapping[str, Any], *, wide: bool) -> Data:
    """Return the data of the picture of a valid `kingscore-game/1` record.

    Raises:
        ValueError: the record contains an invalid entry.
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
    """Return a line for each badge, those of the whole game first; the last counts the rest."""
    ordered = sorted(badges, key=lambda badge: badge.badge not in of_game)
    shown = ordered if len(ordered) <= most else ordered[: most - 1]
    lines = [
        {
            "name": badge.name,
            "who": ", ".join(holder.name for holder in badge.holders),
            # Where the names have no room.
            "number": _several(len(badge.holders)),
        }
        for badge in shown
    ]
    more = len(badges) - len(shown)
    if more:
        lines.append({"name": f"+ {more}", "who": "", "number": ""})
    return lines


def _several(players: int) -> str:
    """Return a number of players; empty for one, who is named or left out."""
    if players == 1:
        return ""
    return ngettext("%(number)s player", "%(number)s players", players) % {"number": players}
