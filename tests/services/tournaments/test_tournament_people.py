import json

import pytest
from django.core import serializers

from tests.club_factories import (
    ClubFactory,
    EntrantFactory,
    PlayerFactory,
    RoundFactory,
    RulingFactory,
    SubstituteFactory,
    TournamentFactory,
)
from tests.factories import EVENING
from tournaments.models import Entrant, Merge, Round, Ruling, Substitute, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import lock_entrant, withdraw_entrant
from tournaments.services.people.changes import export_player, remove_player
from tournaments.services.people.merging import merge_players

pytestmark = pytest.mark.django_db


@pytest.fixture
def player():
    return PlayerFactory(name="Ayşe Gür", club=ClubFactory())


@pytest.fixture
def where(player):
    return TournamentFactory(event__club=player.club, slug="acik")


def kept_of_tournaments():
    models = (Tournament, Entrant, Substitute, Ruling, Round)
    return "".join(
        serializers.serialize("json", each.objects.all(), ensure_ascii=False) for each in models
    )


def test_removed_name_is_in_no_ruling_and_the_entrant_stays(player, where):
    entrant = EntrantFactory(tournament=where, player=player)
    other = EntrantFactory(tournament=where)
    round_ = RoundFactory(event=where.event)
    RulingFactory(round=round_, entrant=entrant, reason="AYŞE GÜR geç geldi")
    about_another = RulingFactory(round=round_, entrant=other, reason="Ayşe Gür'e bağırdı")
    elsewhere = RulingFactory(reason="Ayşe Gür bekletti")

    remove_player(player.pk, NOBODY, at=EVENING)

    about_another.refresh_from_db()
    elsewhere.refresh_from_db()
    assert about_another.reason == "№'e bağırdı"
    assert elsewhere.reason == "Ayşe Gür bekletti"
    elsewhere.delete()
    assert "GÜR" not in kept_of_tournaments().upper()
    assert Entrant.objects.get(pk=entrant.pk).shown_name == f"№ {entrant.number}"


def exported(player):
    with export_player(player.pk, NOBODY, at=EVENING) as document:
        return json.load(document)["tournaments"]


@pytest.mark.parametrize("number", [1, 3])
def test_export_of_a_player_lists_tournaments(player, where, number, django_assert_num_queries):
    entrant = EntrantFactory(tournament=where, player=player, number=1, team="Moda")
    for _ in range(number - 1):
        RulingFactory(entrant=EntrantFactory(partner=player), round__number=1)
    RulingFactory(entrant=entrant, round__number=2, reason="bekletti")
    pair = EntrantFactory(tournament__slug="ciftler", player=PlayerFactory(), number=7)
    SubstituteFactory(entrant=pair, player=player, round_number=3)

    # Beside the tournaments: the transaction, the person, games, audit and phones that are told.
    with django_assert_num_queries(15):
        mine = exported(player)

    assert mine[0] == {
        "slug": "acik",
        "name": "Moda Açık",
        "held_on": str(EVENING.date()),
        "entrant": "e1",
        "team": "Moda",
        "represents": "",
        "registered_at": EVENING.isoformat(),
        "rulings": [
            {
                "round": 2,
                "kind": "penalty",
                "points": 1,
                "reason": "bekletti",
                "at": EVENING.isoformat(),
            }
        ],
    }
    assert len(mine) == number + 1
    assert (mine[-1]["slug"], mine[-1]["entrant"]) == ("ciftler", "e7")
    assert mine[-1]["substitute_in_round"] == 3


def test_change_of_an_entrant_leaves_alone_who_it_is(player, where, monkeypatch):
    """As when a merge has given the entrant to another row since it was read."""
    kept = PlayerFactory(club=player.club)
    entrant = EntrantFactory(tournament=where, player=player)

    def read_before_the_merge(pk):
        found = lock_entrant(pk)
        merge_players(kept.pk, player.pk, NOBODY, at=EVENING)
        return found

    monkeypatch.setattr(
        "tournaments.services.entrants.registration.lock_entrant", read_before_the_merge
    )
    withdraw_entrant(entrant.pk, NOBODY, at=EVENING)

    entrant.refresh_from_db()
    assert (entrant.player, entrant.withdrawn_at) == (kept, EVENING)
    assert Merge.objects.get().entrants == {"player": [entrant.pk]}
