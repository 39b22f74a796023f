from io import StringIO

import pytest
from django.core.management import call_command

from tests.factories import GamePhotoFactory
from tournaments.models import Game

pytestmark = pytest.mark.django_db


def row(contract, *counts, doubtful=(), changed=(), contract_is_doubtful=False):
    return {
        "contract": contract,
        "counts": list(counts),
        "doubtful": list(doubtful),
        "changed": list(changed),
        "contract_is_doubtful": contract_is_doubtful,
    }


def report():
    out = StringIO()
    call_command("photo_report", stdout=out)
    return out.getvalue().splitlines()


def test_figures_compare_what_was_read_with_what_a_person_confirmed():
    read = [
        row("no-tricks", 4, 4, 4, 1, doubtful=[2, 3], changed=[2]),
        row("trump", 2, 3, 1, 7, contract_is_doubtful=True),
        row("heart-king", 1, 0, 0, 0),
        row("last-two", 2, 0, 0, 0),
    ]
    confirmed = [
        {"type": "deal", "contract": "no-tricks", "counts": {"tricks": [4, 4, 3, 2]}},
        {"type": "deal", "contract": "no-hearts", "counts": {"hearts": [2, 3, 1, 7]}},
        {"type": "void", "reason": "misdeal"},
        {"type": "deal", "contract": "heart-king", "counts": {"heart_king": [0, 1, 0, 0]}},
    ]
    figures = {"reading": {"rows": read}, "confirmed": {"rows": confirmed}}
    GamePhotoFactory(state="confirmed", page=b"", **figures)
    GamePhotoFactory(state="unreadable", reading=None, page=b"")
    house = GamePhotoFactory().game
    Game.objects.filter(pk=house.pk).update(ruleset="ayse-evi", document={"name": "Ayşe'nin evi"})

    lines = report()

    assert (lines[0], lines[2]) == ("house rules:", "       1 sheets not confirmed")
    assert lines[11:] == [
        "turkish-king:",
        "       1 sheets confirmed",
        "       0 sheets not confirmed",
        "       1 sheets that cannot be read",
        "       4 rows",
        "      15 fields",
        "       3 doubtful",
        "       1 corrected by the rules",
        "       3 doubtful and changed by a person",
        "       2 sure and changed by a person",
        "       1 rows added or left out by a person",
        "1 sheets confirmed",
    ]


def test_a_club_without_photographs_has_no_figures():
    assert report() == ["0 sheets confirmed"]
