import pytest

from tests.club_factories import EntrantFactory, MemberFactory, PlayerFactory, TournamentFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import sitting
from tests.factories import EVENING, record_all
from tests.tournament_builders import NINE, published, running
from tournaments.models import AuditEntry, Entrant, Game, Player, Round, Substitute
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.registration import Entry, register_entrants, withdraw_entrant
from tournaments.services.entrants.substituting import (
    NotAtTable,
    Place,
    TakesPart,
    put_substitute,
    take_out_substitute,
)
from tournaments.services.games.seating import SitsElsewhere
from tournaments.services.rounds.running import open_round
from tournaments.services.rounds.seating import take_back_round
from tournaments.services.tournaments.lifecycle import WrongState

pytestmark = pytest.mark.django_db


def place_of(entrant, number=1):
    return Place(entrant.pk, number, entrant.player_id)


def put(entrant, name, number=1, by=NOBODY):
    return put_substitute(place_of(entrant, number), name, by, at=EVENING)


def at_a_table(row):
    """An entrant who sits at table 1, and one at table 2, and the one who is out."""
    one, other = (
        row.entrants.filter(sittings__table__number=number).order_by("number").first()
        for number in (1, 2)
    )
    return one, other, row.entrants.get(sittings__table=None)


def sheet_of(entrant):
    return Game.objects.get(table__sittings__entrant=entrant)


def test_substitute_put_before_the_round_sits_down_when_it_is_published():
    row = running(*NAMES)
    entrant = row.entrants.first()
    put(entrant, "Zeki")
    put(entrant, "Zeki")

    published(row)

    game = Game.objects.get()
    assert sorted(game.players) == ["Burak", "Cem", "Deniz", "Zeki"]
    assert sorted(sitting(game)) == ["Burak", "Cem", "Deniz", "Zeki"]
    assert AuditEntry.objects.filter(action="put-substitute").count() == 1
    assert Entrant.objects.get(pk=entrant.pk).player.name == "Ayşe"


def test_substitute_takes_the_seat_at_a_table_that_has_not_begun():
    row = running(*NINE)
    round_ = published(row)
    one, _, _ = at_a_table(row)
    game = sheet_of(one)
    seat = game.players.index(one.player.name)

    put(one, "Zeki")
    put(one, "Yasemin")

    game.refresh_from_db()
    assert (game.players[seat], sitting(game)[seat], game.revision) == ("Yasemin", "Yasemin", 0)
    take_back_round(round_.pk, NOBODY, at=EVENING)
    assert Substitute.objects.get().player.name == "Yasemin"


def test_substitute_in_the_middle_of_a_game_stands_in_its_history():
    row = running(*NINE)
    round_ = published(row)
    open_round(round_.pk, NOBODY, at=EVENING)
    one, _, _ = at_a_table(row)
    game = sheet_of(one)
    record_all(game, WHOLE_GAME[:2])
    director = Actor(MemberFactory(club=row.event.club, role="director").user)

    put(one, "Zeki", by=director)

    game.refresh_from_db()
    write = game.revisions.order_by("revision").last()
    assert (write.kind, game.revision) == ("head", 3)
    assert one.player.name in write.before["players"]
    assert (game.players, write.body["players"]) == (sitting(game), sitting(game))
    assert "Zeki" in game.players

    take_out_substitute(place_of(one), director, at=EVENING)
    take_out_substitute(place_of(one), director, at=EVENING)

    game.refresh_from_db()
    assert (game.players, game.revision) == (sitting(game), 4)
    assert one.player.name in game.players
    assert not Substitute.objects.exists()


def test_one_partner_of_a_pair_is_replaced():
    row = TournamentFactory(state="running", event__ruleset="italian-king-pairs")
    pairs = [Entry("Ayşe", "Burak"), Entry("Cem", "Deniz")]
    one, _ = register_entrants(row.pk, pairs, NOBODY, at=EVENING)
    published(row)

    put_substitute(Place(one.pk, 1, one.partner_id), "Zeki", NOBODY, at=EVENING)

    assert sorted(sitting(Game.objects.get())) == ["Ayşe", "Cem", "Deniz", "Zeki"]


def test_who_sits_elsewhere_is_no_substitute_and_who_sits_out_can_be():
    row = running(*NINE)
    published(row)
    one, other, out = at_a_table(row)

    with pytest.raises(SitsElsewhere):
        put(one, other.player.name)
    with pytest.raises(TakesPart):
        put(one, one.player.name)
    put(one, out.player.name)
    with pytest.raises(TakesPart):
        put(other, out.player.name)

    assert out.player.name in sheet_of(one).players


def test_before_the_round_who_will_play_in_it_is_no_substitute():
    row = running(*NINE[:5])
    one, other, gone = row.entrants.all()[:3]
    withdraw_entrant(gone.pk, NOBODY, at=EVENING)

    with pytest.raises(TakesPart):
        put(one, other.player.name)
    put(one, gone.player.name)
    with pytest.raises(TakesPart):
        put(other, gone.player.name)
    put(other, gone.player.name, number=2)

    assert Substitute.objects.count() == 2


def test_closed_round_changes_no_more():
    row = running(*NINE)
    round_ = published(row)
    one, _, _ = at_a_table(row)
    put(one, "Zeki")
    Round.objects.filter(pk=round_.pk).update(opened_at=EVENING, closed_at=EVENING)

    with pytest.raises(WrongState):
        put(one, "Yasemin")
    with pytest.raises(WrongState):
        take_out_substitute(place_of(one), NOBODY, at=EVENING)

    assert not Player.objects.filter(name="Yasemin").exists()
    assert "Zeki" in sheet_of(one).players


def test_player_who_sits_elsewhere_meanwhile_does_not_come_back():
    row = running(*NINE)
    published(row)
    one, _other, out = at_a_table(row)
    put(out, "Zeki")
    put(one, out.player.name)

    with pytest.raises(SitsElsewhere):
        take_out_substitute(place_of(out), NOBODY, at=EVENING)


def test_place_that_another_was_given_on_the_sheet_is_not_taken():
    row = running(*NINE)
    published(row)
    one, _other, _out = at_a_table(row)
    seat = sheet_of(one).seats.get(player=one.player)
    seat.player = PlayerFactory(club=row.event.club)
    seat.save()

    with pytest.raises(NotAtTable):
        put(one, "Zeki")
    assert not Substitute.objects.exists()


def test_only_a_player_of_the_entrant_is_replaced():
    entrant = EntrantFactory()
    stranger = PlayerFactory(club=entrant.tournament.event.club)

    with pytest.raises(Player.DoesNotExist):
        put_substitute(Place(entrant.pk, 1, stranger.pk), "Zeki", NOBODY, at=EVENING)
    assert not Player.objects.filter(name="Zeki").exists()
