"""Ratings in what a player gets who asks for all that is kept of them."""

import json

import pytest

from tests.club_factories import ClubFactory
from tests.deals import NAMES
from tests.factories import EVENING
from tests.services.ratings.rating_world import STOPPED
from tests.services.ratings.test_ratings import QUEENS, evening
from tournaments.models import Player, PlayerRating
from tournaments.services.auditing import NOBODY
from tournaments.services.people.export import export_player
from tournaments.services.ratings.computing import sweep_ratings

pytestmark = pytest.mark.django_db


def test_what_is_kept_of_a_player_has_their_ratings():
    club = ClubFactory(rates_evenings=True, in_server_ratings=True)
    for day in range(2):
        evening(club, QUEENS, STOPPED, players=NAMES, day=day)
    sweep_ratings()
    player = Player.objects.get(name="Ayşe")

    with export_player(player.pk, NOBODY, at=EVENING) as document:
        here, server = json.load(document)["ratings"]

    assert (here["among"], server["among"]) == ("club", "server")
    row = PlayerRating.objects.get(player=player, pool__club=club)
    assert (here["games"], here["rating"]) == (2, row.mean)
    assert [each["after"]["rating"] for each in here["changes"]] == [
        change.mean for change in row.changes.all()
    ]
