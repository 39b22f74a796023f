"""The picture of a player, for the preview of a link: rating, rank, games, and the curve."""

from typing import Any

from django.utils import timezone
from django.utils.translation import get_language

from tournaments.models import Report
from tournaments.presenters.people.players import facts_of, public_player
from tournaments.queries.ratings.ratings import shown
from tournaments.reports.scoresheet import written_date


def compose_player_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of a player, as everybody may see them.

    Raises:
        ValueError: the report is not about a player.
    """
    player, now = report.player, timezone.now()
    if player is None:
        raise ValueError("no player")
    seen = public_player(player, now)
    facts = facts_of(seen.rating, seen.rank, seen.sums)
    points = [shown(step.after).points for step in seen.steps]
    begin = shown(seen.steps[0].before).points if seen.steps else 0
    return {
        "language": get_language(),
        "title": player.shown_name,
        "description": player.club.name,
        "wide": True,
        "remark": "",
        "sides": [
            {
                "members": [{"seat": None, "place": "", "name": name}],
                "total": value,
                "best": number == 0,
            }
            for number, (name, value) in enumerate(facts)
        ],
        "course": [{"seat": 0, "totals": [0, *(each - begin for each in points)]}]
        if len(points) > 1
        else [],
        "badges": [],
        "foot": player.club.name,
        "place": written_date(timezone.localdate(now).isoformat()),
    }
