import re

import pytest
from django.urls import reverse

from tests.tournament_builders import running
from tournaments.engine.pairing.judging import rounds_without_repeats
from tournaments.models import Entrant

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("entrants", "table_size", "rounds"),
    [(9, 4, 1), (12, 4, 1), (15, 4, 4), (16, 4, 5), (21, 4, 6), (4, 4, 1), (6, 2, 5), (3, 2, 2)],
)
def test_small_groups_meet_again_soon(entrants, table_size, rounds):
    assert rounds_without_repeats(entrants, table_size) == rounds


def test_sections_that_are_too_small_for_the_rounds_are_warned_of(visitor):
    row = running(*(f"Oyuncu {n}" for n in range(1, 29)), rounds=5, sections=2)
    Entrant.objects.filter(number__lte=16).update(section="A")
    Entrant.objects.filter(number__gt=16).update(section="B")
    director = visitor.become("director", row.event.club)

    page = director.get(reverse("sections", args=[row.event.club.slug, row.slug]))

    warned = re.findall(r"Too few for 5 rounds: from round (\d+) on", page.text)
    assert ([again for _name, _lines, again in page.context["groups"]], warned) == (
        [None, 2],
        ["2"],
    )
