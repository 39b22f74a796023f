from dataclasses import replace

import pytest

from tests.club_factories import ClubFactory, RoundFactory, TableFactory
from tests.factories import EVENING, HouseRulesetFactory
from tests.tournament_builders import plan
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import AuditEntry, Event, HouseRuleset, Tournament
from tournaments.queries.state import rules_of_tournament
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.tournaments import lifecycle

pytestmark = pytest.mark.django_db


def create(club, said, key=None):
    return lifecycle.create_tournament(club, said, NOBODY, at=EVENING, key=key)


def move(row, state):
    return lifecycle.move_tournament(row.pk, state, NOBODY, at=EVENING)


def change(row, said):
    return lifecycle.change_tournament(row.pk, said, NOBODY, at=EVENING)


def running(**settings):
    row = create(ClubFactory(), plan(**settings or {"rounds": 3}))
    move(row, "registration")
    return move(row, "running")


def said_of(**fields):
    said = plan(rounds=3)
    return replace(said, event=replace(said.event, **fields))


def actions():
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


@pytest.mark.parametrize(
    "wrong",
    [
        *({"ruleset": slug} for slug in ("chess", "barbu-3", "of-another-club")),
        {"rounds": 0},
        {"tie_breaks": ("luck",)},
        {"bye": "much"},
    ],
    ids=str,
)
def test_what_no_tournament_plays_and_settings_made_by_hand_are_refused(wrong):
    HouseRulesetFactory(slug="of-another-club", club=ClubFactory())

    with pytest.raises(InvalidEntry):
        create(ClubFactory(), plan(**wrong))

    assert not Event.objects.exists()


def test_tournament_keeps_its_copy_of_house_rules():
    club = ClubFactory()
    HouseRulesetFactory(slug="moda-rules", club=club, name="Moda içi kurallar")
    row = create(club, plan("moda-rules"))

    HouseRuleset.objects.all().delete()

    assert rules_of_tournament(Tournament.objects.get(pk=row.pk)).name == "Moda içi kurallar"


def test_what_is_played_changes_until_the_tournament_runs():
    row = create(ClubFactory(), plan())
    move(row, "registration")
    change(row, said_of(ruleset="euchre"))
    assert Tournament.objects.get().event.ruleset == "euchre"
    change(row, said_of())
    move(row, "running")

    for fields in ({"ruleset": "euchre"}, {"options": {"out": "mean"}}):
        with pytest.raises(InvalidEntry):
            change(row, said_of(name="Kış", **fields))

    event = Tournament.objects.get().event
    assert (event.name, event.ruleset) == ("Moda Açık", "turkish-king")


def test_change_that_changes_nothing_leaves_no_trace():
    row = create(ClubFactory(), plan(rounds=3))

    change(row, said_of())

    assert actions() == ["add-tournament"]
    assert Tournament.objects.get().revision == 0


@pytest.mark.parametrize(("state", "to"), [("registration", "finished"), ("finished", "draft")])
def test_no_step_leads_past_another(state, to):
    row = create(ClubFactory(), plan())
    Tournament.objects.update(state=state)

    with pytest.raises(lifecycle.WrongState) as refused:
        move(row, to)
    if state == "finished":
        with pytest.raises(lifecycle.WrongState):
            change(row, plan(rounds=3))

    assert refused.value.data == {"state": state}


def test_tournament_with_a_seated_round_stays_and_runs():
    row = running()
    RoundFactory(event=row.event, number=1, opened_at=None)

    with pytest.raises(lifecycle.Depended):
        lifecycle.remove_tournament(row.pk, NOBODY, at=EVENING)
    for to in ("registration", "finished"):
        with pytest.raises(lifecycle.Depended):
            move(row, to)

    assert Tournament.objects.get().state == "running"


def test_pairs_and_single_players_are_not_exchanged_once_somebody_has_entered():
    row = create(ClubFactory(), plan())
    register_entrants(row.pk, [Entry("Ayşe")], NOBODY, at=EVENING)

    with pytest.raises(InvalidEntry):
        change(row, plan("euchre"))
    assert Event.objects.get().ruleset == "turkish-king"


def test_cut_stands_once_a_final_is_seated():
    settings = {"rounds": 1, "finals": 4}
    row = running(**settings)
    RoundFactory(event=row.event, number=2, stage="final", seating={}, opened_at=None)

    for another in ({"rounds": 2}, {"finals": 0}, {"carry": False}):
        with pytest.raises(InvalidEntry):
            change(row, plan(**settings | another))
    change(row, plan(**settings, minutes=30))


def test_tournament_is_not_finished_with_a_game_that_a_correction_left_unfinished():
    row = running()
    TableFactory(round=RoundFactory(event=row.event, number=1, closed_at=EVENING))

    with pytest.raises(lifecycle.Depended):
        move(row, "finished")
    # A finished one that a correction reaches can go on.
    Tournament.objects.update(state="finished")
    assert move(row, "running").state == "running"
