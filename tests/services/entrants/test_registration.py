import pytest

from tests.club_factories import (
    EntrantFactory,
    PlayerFactory,
    RoundFactory,
    SittingFactory,
    SubstituteFactory,
    TournamentFactory,
)
from tests.factories import EVENING
from tests.together import at_once
from tournaments.models import AuditEntry, Entrant, Player, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.entrants import registration
from tournaments.services.entrants.registration import (
    EntrantsRefused,
    Entry,
    TooMany,
    register_entrants,
)
from tournaments.services.tournaments.lifecycle import Depended, WrongState

pytestmark = pytest.mark.django_db


def open_tournament(**fields):
    return TournamentFactory(state="registration", **fields)


def register(row, *entries):
    return register_entrants(row.pk, entries, NOBODY, at=EVENING)


def refused(row, *entries):
    with pytest.raises(EntrantsRefused) as error:
        register(row, *entries)
    return error.value.problems


def published(row, number=1):
    seating = {"tables": [], "byes": []}
    return RoundFactory(event=row.event, number=number, seating=seating, published_at=EVENING)


def test_names_of_the_club_are_found_and_others_are_added():
    row = open_tournament()
    known = PlayerFactory(club=row.event.club, name="Işıl Yılmaz")
    PlayerFactory(name="Cem")

    entrants = register(row, Entry("ışıl  yılmaz", team="Moda"), Entry("Cem", represents="Kadıköy"))

    assert [(each.number, each.team, each.represents) for each in entrants] == [
        (1, "Moda", ""),
        (2, "", "Kadıköy"),
    ]
    assert entrants[0].player == known
    assert entrants[1].player.club == row.event.club
    assert AuditEntry.objects.filter(action="add-entrants").get().after == {
        "entrants": ["e1", "e2"]
    }


def test_pairs_are_two_people_of_whom_none_stands_in_another_pair():
    row = open_tournament(event__ruleset="italian-king-pairs")
    register(row, Entry("Ada", "Bora"))

    problems = refused(
        row,
        Entry("Cem"),
        Entry("Deniz", "bora"),
        Entry("Efe", "EFE"),
        Entry("Fulya", "Gül"),
    )

    assert {line: type(problem).__name__ for line, problem in problems.items()} == {
        0: "NoPartner",
        1: "EnteredAlready",
        2: "NamedTwice",
    }


def test_one_who_was_merged_is_found_as_who_was_kept():
    row = open_tournament()
    kept = PlayerFactory(club=row.event.club, name="Ayşe Kaya")
    PlayerFactory(club=row.event.club, name="Ayşe", merged_into=kept)

    assert register(row, Entry("Ayşe"))[0].player == kept
    assert type(refused(row, Entry("Ayşe Kaya"))[0]).__name__ == "EnteredAlready"


def test_teams_that_differ_in_case_only_are_one():
    row = open_tournament()

    entrants = register(row, Entry("A", team="İstanbul"), Entry("B", team="ISTANBUL "))
    registration.change_entrant(entrants[1].pk, "istanbul", "", NOBODY, at=EVENING)
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
    row = TournamentFactory(state="running")
    published(row)
    helper = PlayerFactory(club=row.event.club, name="Zeki")
    SubstituteFactory(entrant=EntrantFactory(tournament=row), round_number=2, player=helper)

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
    row = TournamentFactory(state="running")
    entrant = EntrantFactory(tournament=row)
    published(row)

    registration.withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    registration.withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    back = registration.return_entrant(entrant.pk, NOBODY, at=EVENING)

    assert (back.withdrawn_at, back.joins_in) == (None, 2)
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["withdraw-entrant", "return-entrant"]


def test_entrant_is_removed_until_they_were_seated():
    row = TournamentFactory(state="running")
    seated, other = (EntrantFactory(tournament=row, number=n) for n in (1, 2))
    named = EntrantFactory(tournament=row, number=3)
    round_ = published(row)
    SittingFactory(round=round_, entrant=seated)
    RoundFactory(
        event=row.event, number=2, seating={"tables": [["e3"]], "byes": []}, opened_at=None
    )

    registration.remove_entrant(other.pk, NOBODY, at=EVENING)
    registration.remove_entrant(other.pk, NOBODY, at=EVENING)
    for entrant in (seated, named):
        with pytest.raises(Depended):
            registration.remove_entrant(entrant.pk, NOBODY, at=EVENING)

    assert set(Entrant.objects.all()) == {seated, named}


def test_check_in_counts_for_the_evening_or_for_the_next_round():
    once = TournamentFactory(state="running", settings={"check_in": "once"})
    each = TournamentFactory(state="running", settings={"check_in": "round"})
    for row in (once, each):
        entrant = EntrantFactory(tournament=row)
        assert registration.check_in(entrant.pk, NOBODY, at=EVENING).checked_in == 1
        published(row)
        registration.check_in(entrant.pk, NOBODY, at=EVENING)

    assert [entrant.checked_in for entrant in Entrant.objects.order_by("pk")] == [1, 2]
    away = registration.check_in(once.entrants.get().pk, NOBODY, at=EVENING, here=False)
    assert away.checked_in == 0


@pytest.mark.parametrize(
    ("change", "withdrawn"),
    [
        (lambda pk: registration.withdraw_entrant(pk, NOBODY, at=EVENING), None),
        (lambda pk: registration.return_entrant(pk, NOBODY, at=EVENING), EVENING),
        (lambda pk: registration.mark_house(pk, NOBODY, at=EVENING, house=True), None),
    ],
)
def test_final_standings_stay_as_they_are(change, withdrawn):
    entrant = EntrantFactory(tournament__state="finished", withdrawn_at=withdrawn)

    with pytest.raises(WrongState):
        change(entrant.pk)
    with pytest.raises(WrongState):
        register(entrant.tournament, Entry("A"))
    after = Entrant.objects.get()
    assert (after.withdrawn_at, after.house) == (withdrawn, False)


def registering(row, name):
    register = registration.register_by_link
    return lambda: register(row.pk, Entry(name), NOBODY, at=EVENING).number


@pytest.mark.django_db(transaction=True)
def test_one_name_registered_by_several_phones_at_once_is_one_entrant():
    row = open_tournament()
    names = ["İPEK", "ipek", "Ipek", "ıpek"]

    answers = at_once(*[registering(row, name) for name in names])

    assert answers == [1] * len(names)
    assert (Entrant.objects.count(), Player.objects.count()) == (1, 1)
