import pytest

from tests.club_factories import PlayerFactory, RoundFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import sitting
from tests.factories import EVENING, ContextFactory, GameFactory, SetupFactory, record
from tests.match_builders import TWO, won_by
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import AuditEntry, Game, Player, Report, Revision, Table
from tournaments.services.audit import Actor
from tournaments.services.documents.reporting import request_scoresheet
from tournaments.services.games import tables
from tournaments.services.games.playing import GameSetup, change_head, record_entry, start_game
from tournaments.services.games.seating import SitsElsewhere
from tournaments.services.games.tables import NotOpen, adopt_game, replace_address
from tournaments.services.games.writing import RoundClosed

pytestmark = pytest.mark.django_db

BY = Actor(address="192.0.2.7")


def adopt(game, round_, who=NAMES):
    return adopt_game(game.pk, round_.pk, who, BY, at=EVENING)


def test_adopted_game_is_a_table_of_the_evening_and_is_written_on():
    round_ = RoundFactory()
    PlayerFactory(club=round_.event.club, name="Ayşe Yılmaz", initials=True)
    game = GameFactory(entries=WHOLE_GAME[:2])
    secret = game.secret("write")

    table = adopt(game, round_, ("Ayşe Yılmaz", *NAMES[1:]))

    game.refresh_from_db()
    assert (game.table, table.number, game.title) == (table, 1, "Cuma akşamı")
    assert game.players == ["A. Y.", *NAMES[1:]]
    assert sitting(game) == ["Ayşe Yılmaz", *NAMES[1:]]
    assert Game.objects.writable_at(game.public_id, secret).get() == game
    assert record(game, WHOLE_GAME[2]).row.revision == 3
    assert AuditEntry.objects.filter(action="adopt").get().subject == f"table:{table.public_id}"


def test_typed_names_give_way_to_how_the_players_are_shown():
    round_ = RoundFactory()
    PlayerFactory(club=round_.event.club, name="Ayşe Yılmaz", initials=True)
    # Two were written at each other's seats.
    typed = ("Ayşe Yılmaz", "Cem", "Burak", "Deniz")
    game = GameFactory(head__players=typed)
    record_entry(game.pk, parse_entry(WHOLE_GAME[0]), ContextFactory(author="Ayşe Yılmaz"))
    record_entry(game.pk, parse_entry(WHOLE_GAME[1]), ContextFactory(revision=1, author="Cem"))
    head = SetupFactory(players=typed, title="Final")
    change_head(game.pk, head, ContextFactory(revision=2, author="Burak"))
    asked = request_scoresheet(Game.objects.get(), language="tr", follow_url="x", at=EVENING)

    adopt(game, round_, ("Ayşe Yılmaz", *NAMES[1:]))

    writes = Revision.objects.order_by("revision")
    assert list(writes.values_list("author", flat=True)) == ["A. Y.", "Burak", "Cem"]
    assert writes[2].before["players"] == writes[2].body["players"] == ["A. Y.", *NAMES[1:]]
    assert Game.objects.get().title == "Final"
    assert not Report.objects.filter(pk=asked.pk).exists()


def test_adopting_brings_all_games_of_a_match():
    first = tables.start_match(GameSetup("krapet", TWO), "best-of", 3, at=EVENING)
    record(first, won_by(0))
    second, _ = tables.start_next_game(first.pk, at=EVENING, key="next-key", reason="")
    swapped = GameSetup("krapet", tuple(reversed(TWO)))
    change_head(second.pk, swapped, ContextFactory(revision=second.revision))

    table = adopt(first, RoundFactory(), ("Elif", "Fatma"))

    assert list(table.games.order_by("pk")) == [first, second]
    assert [sitting(game) for game in (first, second)] == [["Elif", "Fatma"], ["Fatma", "Elif"]]


def test_game_is_not_adopted_into_a_closed_round():
    with pytest.raises(RoundClosed):
        adopt(GameFactory(), RoundFactory(closed_at=EVENING))

    assert (Table.objects.count(), Player.objects.count()) == (0, 0)


def test_game_is_adopted_once():
    game, round_ = GameFactory(), RoundFactory()
    adopt(game, round_)

    with pytest.raises(SitsElsewhere):
        adopt(game, round_)
    with pytest.raises(NotOpen):
        adopt(game, RoundFactory())

    assert (Table.objects.count(), Player.objects.count()) == (1, 4)


def test_lost_phone_that_opened_the_table_is_not_led_back_to_it():
    head, key = GameSetup("turkish-king", NAMES), "key-of-the-lost-phone"
    game = start_game(head, at=EVENING, key=key)
    table = adopt(game, RoundFactory())

    replace_address(table.pk, BY, at=EVENING)

    assert start_game(head, at=EVENING, key=key) != game
