import re

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.tournament_builders import play, published, register, running, seated_at, who_sits
from tests.web.rounds.going import going, next_round, of_all, play_at
from tournaments.models import AuditEntry, Entrant, Game, Ruling, Sitting, Tournament
from tournaments.queries.sheets import load_sheet
from tournaments.queries.state import load_state
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.rounds.running import close_round
from tournaments.services.rounds.undo import last_act, undo_act


def standings():
    rows = load_state(Tournament.objects.get()).standings_before(9)
    return {row.entrant: (row.points, row.place) for row in rows}


def second_round(club, **settings):
    round_ = going(club, points="places", **settings)
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    return next_round(round_.event.tournament)


@pytest.mark.parametrize(
    ("way", "gained", "kinds"),
    [
        ("counts", None, []),
        ("void", 0, ["adjusted", "bye", "bye", "bye"]),
        ("forfeit", 0, ["forfeit"]),
    ],
)
def test_game_ends_as_foreseen_because_somebody_has_left(director, club, way, gained, kinds):
    # What the deals that were not played are worth to everybody breaks ties, too.
    round_ = second_round(club, tie_breaks=("total-points",))
    play_at(round_, 1, WHOLE_GAME[:8])
    number = who_sits(round_)[1][2]
    at, before = of_all("leave_table", round_, number), standings()

    asked = director.get(at).context["ways"]
    director.post(at, {"way": way})
    again = director.post(at, {"way": way}, follow=True)

    foreseen = next(each for each in asked if each["code"] == way)
    lines = {
        each["entrant"].key: (each["points"][1], each["place"][1]) for each in foreseen["lines"]
    }
    assert lines.items() <= standings().items()
    own = standings()[f"e{number}"][0] - before[f"e{number}"][0]
    assert gained is None or own == gained
    assert sorted(Ruling.objects.values_list("kind", flat=True)) == kinds
    assert (Ruling.objects.exclude(entrant__number=number).count(), len(lines)) == (
        len(kinds) - bool(kinds),
        4,
    )
    assert "not possible" not in again.text
    entrant = Entrant.objects.get(number=number)
    assert entrant.withdrawn_at is None
    game = Game.objects.get(table__round=round_, table__number=1)
    assert [game.result["stopped"], len(load_sheet(game).game.deals)] == ["left", 8]
    tables = director.get(of_all("running", round_, 2)).text
    assert "finished: a player has left" in tables


def test_house_player_is_given_no_ruling_and_keeps_the_chair_of_a_game_that_is_over(director, club):
    round_ = going(club)
    play_at(round_, 1, WHOLE_GAME[:8])
    one, other = who_sits(round_)[1][:2]
    (late,) = register(round_.event.tournament, "Geç")
    director.post(of_all("leave_table", round_, one), {"way": "house"})
    chairs = [director.get(of_all("arrive_late", round_, late.number)).text.count('"chair ')]

    director.post(of_all("leave_table", round_, other), {"way": "void"})

    assert sorted(Ruling.objects.values_list("kind", flat=True)) == ["adjusted", "bye", "bye"]
    chairs += [director.get(of_all("arrive_late", round_, late.number)).text.count('"chair ')]
    assert chairs == [1, 0]


def test_others_play_on_with_a_house_player_whose_chair_counts_for_nobody(director, club):
    round_ = second_round(club)
    play_at(round_, 1, WHOLE_GAME[:8])
    number = who_sits(round_)[1][2]
    before = standings()[f"e{number}"]

    director.post(of_all("leave_table", round_, number), {"way": "house", "for_good": "1"})

    house = Entrant.objects.get(number=who_sits(round_)[1][2])
    assert house.house
    game = Game.objects.get(table__round=round_, table__number=1)
    assert (game.players[2], len(load_sheet(game).game.deals)) == (house.player.name, 8)
    log = strip_tags(director.get(reverse("club_changes", args=[club.slug])).text)
    entry = log.partition("Left the table")[2].partition("Only:")[0]
    assert entry.split()[-6:-2] == ["2Table:", "1Entrants:", "Oyuncu", f"{number:03}"]
    play_at(round_, 1, WHOLE_GAME[8:])
    play_at(round_, 2, WHOLE_GAME)
    close_round(round_.pk, NOBODY, at=timezone.now())
    assert standings()[f"e{number}"][0] == before[0]
    assert Entrant.objects.get(number=number).withdrawn_at is not None


@pytest.mark.parametrize(
    ("sends", "sentence"),
    [
        ({}, "Choose what follows."),
        ({"way": "reseat"}, "The table has changed meanwhile"),
        ({"way": "substitute", "who": " "}, "A name has"),
        ({"way": "substitute", "who": "Oyuncu 005"}, "sits at table"),
    ],
)
def test_wrong_answer_is_explained_at_its_place_and_changes_nothing(
    director, club, sends, sentence
):
    round_ = going(club)
    play_at(round_, 1, WHOLE_GAME[:2])
    seated = who_sits(round_)
    if "who" in sends and sends["who"].strip():
        sends = sends | {"who": Entrant.objects.get(number=seated[2][0]).player.name}
    stood = standings()

    refused = director.post(of_all("leave_table", round_, seated[1][0]), sends)

    assert refused.status_code == 422
    assert sentence in refused.text
    assert sends.get("who", "") in refused.text
    assert (who_sits(round_), standings()) == (seated, stood)


def test_before_the_start_it_says_who_would_sit_out(director, club):
    round_ = second_round(club, bye=3)
    number = who_sits(round_)[2][0]

    page = director.get(of_all("leave_table", round_, number))

    codes = [each["code"] for each in page.context["ways"]]
    assert codes == ["substitute", "house", "reseat"]
    out = page.context["ways"][2]["seating"]["out"]
    names = {Entrant.objects.get(number=each).player.name for each in who_sits(round_)[2][1:]}
    assert dict(out) == dict.fromkeys(names, "3")


@pytest.mark.parametrize(("missed", "worth"), [("nothing", 0), ("half", 2), ("average", 4)])
def test_late_one_sits_out_for_what_the_director_says(director, club, missed, worth):
    round_ = second_round(club, bye=4)
    add = director.post(of_all("add_entrants", round_), {"what": "one", "name": "Geç", "seat": "1"})
    number = Entrant.objects.get(player__name="Geç").number
    assert add.url == of_all("arrive_late", round_, number)

    director.post(add.url, {"do": "out", "missed": missed})

    assert Sitting.objects.get(entrant__number=number).table is None
    assert standings()[f"e{number}"][0] == 2 * worth
    assert director.get(add.url).status_code == 302


def test_final_has_no_house_players_and_nobody_comes_late_to_it(director, club):
    round_ = going(club, rounds=1, finals=4)
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    final = next_round(round_.event.tournament)
    playing = who_sits(final)[1]

    asked = director.get(of_all("leave_table", final, playing[0]))
    out = next(n for n in range(1, 9) if n not in playing)
    came = director.get(of_all("arrive_late", final, out))

    assert "house" not in {each["code"] for each in asked.context["ways"]}
    assert came.status_code == 302


def test_late_one_takes_the_chair_of_a_house_player(director, club):
    round_ = second_round(club)
    play_at(round_, 1, WHOLE_GAME[:3])
    director.post(of_all("leave_table", round_, seated_at(round_, 1).number), {"way": "house"})
    (late,) = register(round_.event.tournament, "Geç")
    at = of_all("arrive_late", round_, late.number)
    page = director.get(at)
    (chair,) = re.findall(r'value="(chair [^"]*)"', page.text)
    assert "3 deals are played" in page.text
    assert 'value="plays"' not in page.text

    for wrong in ("", "chair", "chair e1", "plays e1"):
        assert director.post(at, {"do": wrong}).status_code == 422
    director.post(at, {"do": chair, "missed": "nothing"})

    assert late.number in who_sits(round_)[1]
    assert "Geç" in Game.objects.get(table__round=round_, table__number=1).players


def test_somebody_has_to_be_chosen_to_come_late(director, club):
    round_ = going(club)
    register(round_.event.tournament, "Geç")

    page = director.post(of_all("change_late", round_, 1), follow=True)

    assert "Nobody is chosen." in page.text


def test_who_waits_leaves_no_table_and_comes_to_none(director, club):
    round_ = second_round(club)
    (late,) = register(round_.event.tournament, "Geç")
    Entrant.objects.filter(pk=late.pk).update(waiting=True)

    left = director.post(of_all("leave_table", round_, late.number), {"way": "counts"}, follow=True)
    came = director.post(of_all("arrive_late", round_, late.number), {"do": "out"})

    assert "They do not take part in this round" in left.text
    assert came.status_code == 302
    assert not Sitting.objects.filter(entrant=late).exists()


def test_late_one_takes_no_chair_in_another_section(director, club):
    round_ = going(club, sections=2)
    director.post(of_all("leave_table", round_, seated_at(round_, 1).number), {"way": "house"})
    (late,) = register(round_.event.tournament, "Geç")
    Entrant.objects.filter(pk=late.pk).update(section="A")
    house, at = Entrant.objects.get(house=True), of_all("arrive_late", round_, late.number)

    page = director.get(at)
    refused = director.post(at, {"do": f"chair {house.key}"})

    assert 'value="chair' not in page.text
    assert refused.status_code == 422
    assert house.number in who_sits(round_)[1]


@pytest.mark.parametrize("then", ["Veli", "Ali"])
def test_second_director_never_hears_of_another_substitute_than_plays(director, club, then):
    round_ = second_round(club)
    at = of_all("leave_table", round_, who_sits(round_)[1][2])
    director.post(at, {"way": "substitute", "who": "Ali"})
    noted = AuditEntry.objects.filter(action="leave-table")

    director.post(at, {"way": "substitute", "who": then})

    assert then in Game.objects.get(table__round=round_, table__number=1).players
    assert noted.count() == 1 + (then != "Ali")


def test_second_director_hears_that_the_late_one_plays_already(director, club):
    round_ = second_round(club)
    (late,) = register(round_.event.tournament, "Geç")
    at = of_all("arrive_late", round_, late.number)
    director.post(at, {"do": "out"})

    again = director.post(at, {"do": "out"}, follow=True)
    other = director.post(at, {"do": "plays"}, follow=True)

    assert "sits out Round 2" in again.text
    assert "The table has changed meanwhile" in other.text


def test_late_one_needs_room_in_the_line_up(director, club):
    teams = [Entry(f"Oyuncu {n:03}", team=f"Takım {n % 2}") for n in range(1, 9)]
    row = running(*teams, club=club, line_up=4)
    published(row)
    (late,) = register_entrants(row.pk, [Entry("Geç", team="Takım 0")], NOBODY, at=EVENING)

    refused = director.post(
        of_all("arrive_late", row.event.rounds.get(), late.number), {"do": "out"}
    )

    assert refused.status_code == 422
    assert not Sitting.objects.filter(entrant=late).exists()


def test_feed_hears_of_the_game_that_goes_when_a_coming_is_undone(director, club):
    round_ = going(club)
    late = register(round_.event.tournament, *(f"Geç {n}" for n in range(4)))
    for each in late:
        do = "plays" if each == late[-1] else "out"
        director.post(of_all("arrive_late", round_, each.number), {"do": do})
    game = Game.objects.get(table__round=round_, table__number=3)

    tournament = Tournament.objects.get()
    act = last_act(tournament, timezone.now())
    undo_act(tournament.pk, act.pk, NOBODY, at=timezone.now())

    assert AuditEntry.objects.get(action="undo-coming").after["gone"] == [game.public_id]
    assert not Game.objects.filter(pk=game.pk).exists()
