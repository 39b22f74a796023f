"""Totals of a table typed from paper in a large round, beside the same by the API.

Asked through Django's test client, in one process, in turn, each in a tournament of its own: the
whole form as a browser without scripts sends it, with the page that follows; the line alone, as the
page's script sends it; and the API.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from django.test import Client
from django.urls import reverse

from benchmarks.directing import lay
from benchmarks.figures import Figure, against, in_turn, settle, used
from tests.phones import new_key
from tournaments.api.access import token_of
from tournaments.models import Game, Round, User

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"tables": 4, "times": 1},
    "usual": {"tables": 70, "times": 40},
    "full": {"tables": 70, "times": 60},
}
TOTALS = (100, -60, -20, -20)
BY_API = "the same by the API"
FIELD = re.compile(r'name="((?:key|revision|total)-(\d+)(?:-\d)?)" value="([^"]*)"')

Write = Callable[[Client, Round, Game], None]


def send_form(browser: Client, round_: Round, game: Game, *, alone: bool) -> None:
    """Send the form of the page with the totals of one table, or that line `alone`."""
    path = reverse("round_totals", args=[*words_of(round_), round_.number])
    typed = dict(FORMS[round_.pk])
    number = game.table.number  # type: ignore[union-attr]
    typed |= {f"total-{number}-{side}": str(points) for side, points in enumerate(TOTALS)}
    head = {"HX-Request": "true"} if alone else {}
    if alone:
        typed = {name: value for name, value in typed.items() if name.split("-")[1] == str(number)}
    answer = browser.post(path, typed, headers=head, follow=True)
    if answer.status_code != 200:
        raise RuntimeError(f"{path} answered {answer.status_code}")


def send_to_api(browser: Client, _round: Round, game: Game) -> None:
    head = {"Authorization": f"Bearer {token_of(game, 'write')}", "Idempotency-Key": new_key()}
    path, body = f"/api/v1/games/{game.public_id}/totals/", {"totals": TOTALS}
    answer = browser.post(path, body, content_type="application/json", headers=head)
    if answer.status_code != 201:
        raise RuntimeError(f"{path} answered {answer.status_code}: {answer.content[:300]!r}")


def words_of(round_: Round) -> tuple[str, str]:
    return round_.event.club.slug, round_.event.tournament.slug


FORMS: dict[int, Mapping[str, str]] = {}
"""The fields of the open page, by round."""


def writing(name: str, tables: int, send: Write) -> Callable[[], None]:
    """Return what writes the totals of the next table of a round of its own."""
    round_, browser = lay(name, tables, deals=0), Client()
    browser.force_login(User.objects.get(username=name))
    page = browser.get(reverse("round_totals", args=[*words_of(round_), round_.number]))
    FORMS[round_.pk] = {key: value for key, _n, value in FIELD.findall(page.content.decode())}
    games = Game.objects.filter(table__round=round_).select_related("table")
    left = iter(games.order_by("table__number"))
    return lambda: send(browser, round_, next(left))


def measure(tables: int, times: int) -> Iterator[Figure]:
    works = {
        f"the form of {tables} tables, and the page that follows": writing(
            "form", tables, lambda *sent: send_form(*sent, alone=False)
        ),
        f"one line of {tables} tables by the page": writing(
            "line", tables, lambda *sent: send_form(*sent, alone=True)
        ),
        BY_API: writing("api", tables, send_to_api),
    }
    settle()
    yield from against(in_turn(works, times), BY_API, used)
