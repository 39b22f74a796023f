"""Names on the sheets of somebody who has met a thousand others."""

import pytest

from tests.club_factories import PlayerFactory, RoundFactory
from tests.factories import EVENING
from tournaments.models import Game, Player, Seat, Table
from tournaments.services.auditing import NOBODY
from tournaments.services.checking.sheets import look_at_names
from tournaments.services.people.changes import rename_player

pytestmark = pytest.mark.django_db

GAMES = 340


def test_sheets_of_who_has_met_a_thousand_others_follow_the_name():
    place = RoundFactory()
    regular = PlayerFactory(club=place.event.club, name="Işıl")
    others = Player.objects.bulk_create(
        Player(club=regular.club, name=f"o{n}", name_key=f"o{n}", created_at=EVENING)
        for n in range(3 * GAMES)
    )
    tables = Table.objects.bulk_create(
        Table(round=place, number=number) for number in range(1, GAMES + 1)
    )
    sitting = [(regular, *others[3 * n : 3 * n + 3]) for n in range(GAMES)]
    games = Game.objects.bulk_create(
        Game(
            table=table,
            ruleset="turkish-king",
            played_at=EVENING,
            players=[player.name for player in four],
        )
        for table, four in zip(tables, sitting, strict=True)
    )
    Seat.objects.bulk_create(
        Seat(game=game, number=number, player=player)
        for game, four in zip(games, sitting, strict=True)
        for number, player in enumerate(four)
    )

    assert look_at_names(None).found == ()
    rename_player(regular.pk, "Işıl Yılmaz", NOBODY, at=EVENING)

    assert set(Game.objects.values_list("players__0", flat=True)) == {"Işıl Yılmaz"}
    assert look_at_names(None).found == ()
