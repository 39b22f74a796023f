"""Whose phone it is: asked by a page, once.

The answer stays on the phone (`static/who.js`): all followers get the same page.
"""

from typing import Any

from django.http import HttpRequest

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.models import Game
from tournaments.web.base.phone import knows_game
from tournaments.web.games.deals.fields import place_of


def question_of(request: HttpRequest, row: Game, rules: Ruleset) -> dict[str, Any]:
    """Return the chairs, and whether to ask: not the phone that started the game, others once."""
    chairs = [(seat, name, place_of(rules, seat)) for seat, name in enumerate(row.players)]
    return {"chairs": chairs, "asks": not knows_game(request, row)}
