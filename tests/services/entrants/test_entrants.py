from functools import partial

import pytest

from tests import club_factories as make
from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import sitting
from tests.factories import EVENING, record_all
from tests.tournament_builders import NINE, published, running
from tournaments.models import AuditEntry, Entrant, Game, Player, Round, Substitute, Tournament
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants import registration, substituting
from tournaments.services.entrants.registration import (
    EntrantsRefused,
    Entry,
    TooMany,
    register_entrants,
    withdraw_entrant,
)
from tournaments.services.games.seating import SitsElsewhere
from tournaments.services.rounds.running import open_round
from tournaments.services.rounds.seating import take_back_round
from tournaments.services.tournaments.lifecycle import WrongState

pytestmark = pytest.mark.django_db


def open_tournament(**fields):
    return make.TournamentFactory(state="registration", **fields)


def register(row, *entries):
    return register_entrants(row.pk, entries, NOBODY, at=EVENING)


def refused(row, *entries):
    with pytest.raises(EntrantsRefused) as error:
        register(row, *entries)
    return error.value.problems


def published_round(row, number=1):
    seating = {"tables": [], "byes": []}
    return make.RoundFactory(event=row.event, number=number, seating=seating, published_at=EVENING)


def test_pairs_are_two_people_of_whom_none_stands_in_another_pair():
    row = open_tournament(event__ruleset="italian-king-pairs")
    register(row, Entry("Ada", "Bora"))

    problems = refused(
        row, Entry("Cem"), Entry("Deniz", "bora"), Entry("Efe", "EFE"), Entry("Fulya", "Gül")
    )

    assert {line: type(problem).__name__ for line, problem in problems.items()} == {
        0: "NoPartner",
        1: "EnteredAlready",
        2: "NamedTwice",
    }


def test_one_who_was_merged_is_found_as_who_was_kept():
    row = open_tournament()
    kept = make.PlayerFactory(club=row.event.club, name="Ayşe Kaya")
    make.PlayerFactory(club=row.event.club, name="Ayşe", merged_into=kept)

    assert register(row, Entry("Ayşe"))[0].player == kept
    assert type(refused(row, Entry("Ayşe Kaya"))[0]).__name__ == "EnteredAlready"


def test_teams_that_differ_in_case_only_are_one():
    row = open_tournament()

    entrants = register(row, Entry("A", team="İstanbul"), Entry("B", team="ISTANBUL "))
    registration.change_entrant(
        entrants[1].pk, "istanbul", "", NOBODY, at=EVENING, preferred_table=None
    )
    later = register(row, Entry("C", team="ıstanbul"))[0]

    assert [each.team for each in entrants] == ["İstanbul", "İstanbul"]
    assert later.team == "İstanbul"


def test_no_more_than_can_take_part_are_registered(monkeypatch):
    monkeypatch.setattr(registration, "MOST_ENTRANTS", 2)
    row = open_tournament()

    with pytest.raises(TooMany):
        register(row, Entry("A"), Entry("B"), Entry("C"))

    assert len(register(row, Entry("A"), Entry("B"))) == 2


def test_late_entrants_join_in_the_next_round_in_which_they_do_not_stand_in():
    row = make.TournamentFactory(state="running")
    published_round(row)
    helper = make.PlayerFactory(club=row.event.club, name="Zeki")
    make.SubstituteFactory(
        entrant=make.EntrantFactory(tournament=row), round_number=2, player=helper
    )

    assert [each.joins_in for each in register(row, Entry("Zeki"), Entry("A"))] == [3, 2]


def test_link_registers_once_and_only_while_registration_is_open():
    row = open_tournament()
    entry = Entry("Ayşe", team="Moda", house=True)

    first = registration.register_by_link(row.pk, entry, NOBODY, at=EVENING)
    again = registration.register_by_link(row.pk, Entry("AYŞE"), NOBODY, at=EVENING)

    assert (first.pk, first.house) == (again.pk, False)
    registration.withdraw_entrant(first.pk, NOBODY, at=EVENING)
    with pytest.raises(EntrantsRefused):
        registration.register_by_link(row.pk, entry, NOBODY, at=EVENING)
    Tournament.objects.update(state="running")
    with pytest.raises(WrongState):
        registration.register_by_link(row.pk, Entry("Burak"), NOBODY, at=EVENING)


def test_pair_of_which_one_plays_with_another_is_not_registered_by_link():
    row = open_tournament(event__ruleset="italian-king-pairs")
    one = registration.register_by_link(row.pk, Entry("Ada", "Bora"), NOBODY, at=EVENING)

    swapped = registration.register_by_link(row.pk, Entry("Bora", "Ada"), NOBODY, at=EVENING)

    assert swapped.pk == one.pk
    with pytest.raises(EntrantsRefused):
        registration.register_by_link(row.pk, Entry("Ada", "Cem"), NOBODY, at=EVENING)


def test_withdrawn_entrant_returns_for_the_next_round():
    row = make.TournamentFactory(state="running")
    entrant = make.EntrantFactory(tournament=row)
    published_round(row)

    registration.withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    registration.withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    back = registration.return_entrant(entrant.pk, NOBODY, at=EVENING)

    assert (back.withdrawn_at, back.joins_in) == (None, 2)
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["withdraw-entrant", "return-entrant"]


def test_check_in_counts_for_the_evening_or_for_the_next_round():
    once = make.TournamentFactory(state="running", settings={"check_in": "once"})
    each = make.TournamentFactory(state="running", settings={"check_in": "round"})
    for row in (once, each):
        entrant = make.EntrantFactory(tournament=row)
        assert registration.check_in(entrant.pk, NOBODY, at=EVENING).checked_in == 1
        published_round(row)
        registration.check_in(entrant.pk, NOBODY, at=EVENING)

    assert [entrant.checked_in for entrant in Entrant.objects.order_by("pk")] == [1, 2]
    away = registration.check_in(once.entrants.get().pk, NOBODY, at=EVENING, here=False)
    assert away.checked_in == 0


def test_final_standings_stay_as_they_are():
    for change, withdrawn in (
        (registration.withdraw_entrant, None),
        (registration.return_entrant, EVENING),
        (partial(registration.mark_house, house=True), None),
    ):
        entrant = make.EntrantFactory(tournament__state="finished", withdrawn_at=withdrawn)
        with pytest.raises(WrongState):
            change(entrant.pk, NOBODY, at=EVENING)
        with pytest.raises(WrongState):
            register(entrant.tournament, Entry("A"))
        after = Entrant.objects.get(pk=entrant.pk)
        assert (after.withdrawn_at, after.house) == (withdrawn, False)


def place_of(entrant, number=1):
    return substituting.Place(entrant.pk, number, entrant.player_id)


def put_in(entrant, name, number=1, by=NOBODY):
    return substituting.put_substitute(place_of(entrant, number), name, by, at=EVENING)


def at_a_table(row):
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
    put_in(entrant, "Zeki")
    put_in(entrant, "Zeki")

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

    put_in(one, "Zeki")
    put_in(one, "Yasemin")

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
    director = Actor(make.MemberFactory(club=row.event.club, role="director").user)

    put_in(one, "Zeki", by=director)

    game.refresh_from_db()
    write = game.revisions.order_by("revision").last()
    assert (write.kind, game.revision) == ("head", 3)
    assert one.player.name in write.before["players"]
    assert (game.players, write.body["players"]) == (sitting(game), sitting(game))
    assert "Zeki" in game.players

    substituting.take_out_substitute(place_of(one), director, at=EVENING)
    substituting.take_out_substitute(place_of(one), director, at=EVENING)

    game.refresh_from_db()
    assert (game.players, game.revision) == (sitting(game), 4)
    assert one.player.name in game.players
    assert not Substitute.objects.exists()


def test_one_partner_of_a_pair_is_replaced():
    row = make.TournamentFactory(state="running", event__ruleset="italian-king-pairs")
    pairs = [Entry("Ayşe", "Burak"), Entry("Cem", "Deniz")]
    one, _ = register_entrants(row.pk, pairs, NOBODY, at=EVENING)
    published(row)

    substituting.put_substitute(
        substituting.Place(one.pk, 1, one.partner_id), "Zeki", NOBODY, at=EVENING
    )

    assert sorted(sitting(Game.objects.get())) == ["Ayşe", "Cem", "Deniz", "Zeki"]


def test_who_sits_elsewhere_is_no_substitute_and_who_sits_out_can_be():
    row = running(*NINE)
    published(row)
    one, other, out = at_a_table(row)

    with pytest.raises(SitsElsewhere):
        put_in(one, other.player.name)
    with pytest.raises(substituting.TakesPart):
        put_in(one, one.player.name)
    put_in(one, out.player.name)
    with pytest.raises(substituting.TakesPart):
        put_in(other, out.player.name)

    assert out.player.name in sheet_of(one).players


def test_before_the_round_who_will_play_in_it_is_no_substitute():
    row = running(*NINE[:5])
    one, other, gone = row.entrants.all()[:3]
    withdraw_entrant(gone.pk, NOBODY, at=EVENING)

    with pytest.raises(substituting.TakesPart):
        put_in(one, other.player.name)
    put_in(one, gone.player.name)
    with pytest.raises(substituting.TakesPart):
        put_in(other, gone.player.name)
    put_in(other, gone.player.name, number=2)

    assert Substitute.objects.count() == 2


def test_closed_round_changes_no_more():
    row = running(*NINE)
    round_ = published(row)
    one, _, _ = at_a_table(row)
    put_in(one, "Zeki")
    Round.objects.filter(pk=round_.pk).update(opened_at=EVENING, closed_at=EVENING)

    with pytest.raises(WrongState):
        put_in(one, "Yasemin")
    with pytest.raises(WrongState):
        substituting.take_out_substitute(place_of(one), NOBODY, at=EVENING)

    assert not Player.objects.filter(name="Yasemin").exists()
    assert "Zeki" in sheet_of(one).players


def test_player_who_sits_elsewhere_meanwhile_does_not_come_back():
    row = running(*NINE)
    published(row)
    one, _other, out = at_a_table(row)
    put_in(out, "Zeki")
    put_in(one, out.player.name)

    with pytest.raises(SitsElsewhere):
        substituting.take_out_substitute(place_of(out), NOBODY, at=EVENING)


def test_place_that_another_was_given_on_the_sheet_is_not_taken():
    row = running(*NINE)
    published(row)
    one, _other, _out = at_a_table(row)
    seat = sheet_of(one).seats.get(player=one.player)
    seat.player = make.PlayerFactory(club=row.event.club)
    seat.save()

    with pytest.raises(substituting.NotAtTable):
        put_in(one, "Zeki")
    assert not Substitute.objects.exists()
