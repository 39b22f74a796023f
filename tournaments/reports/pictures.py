"""Pictures of games and standings."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import get_language, ngettext

from tournaments.engine.documents.games import read_game
from tournaments.engine.play.games import Game, only_totals
from tournaments.engine.play.outcomes import award, decide, settle_game
from tournaments.models import Report
from tournaments.queries.scoresheets import (
    EarnedBadge,
    badges_of,
    ending_of,
    members_of,
    outcome_of,
    standings_of,
    surprise_of,
)
from tournaments.reports.pages import Data, OnProgress, document
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
    over, names = game.finished, game.ruleset.side_names(players)
    # The wide one, which chats show beside an address, has no room for them.
    settlement = settle_game(game) if over and not wide else None
    paid = [
        {
            "name": f"{names[payer]} → {names[payee]}",
            "who": "",
            "number": labels.amount_text(amount, thing),
        }
        for payer, payee, amount, thing in (settlement.payments if settlement else ())
    ]
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
        "badges": paid + _lines(badges, game.ruleset.badges, max(2, MOST_BADGES[wide] - len(paid))),
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


@document(Report.Kind.PICTURE, Report.Format.PNG)
def picture(report: Report, _progress: OnProgress) -> Data:
    if report.game is None:
        return compose_standings_picture(report)
    return compose_picture(report.parameters["record"], wide=report.parameters["wide"])
