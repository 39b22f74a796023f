import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import (
    EventFactory,
    PlayerFactory,
    SittingFactory,
    TableFactory,
)
from tests.web.entrants.entering import entrant
from tests.web.imports.archives import workbook
from tests.web.rounds.going import going, of_all
from tournaments.models import AuditEntry, Club, Entrant, Event, Player, Substitute
from tournaments.web.audit.texts import ACTIONS


def url(name, *args):
    return reverse(name, args=["moda", "acik", *args])


def names(row):
    return [" + ".join(p.name for p in e.players) for e in row.entrants.select_related("player")]


def paste(client, what, text, **fields):
    return client.post(url("add_entrants"), {"what": what, "list": text, **fields})


def test_list_says_who_is_here_comes_later_and_has_left(director, row):
    entrant(row, 1, "Ayşe", checked_in=1, team="Moda")
    entrant(row, 2, "Burak", represents="Kadıköy")
    entrant(row, 3, "Cem", joins_in=3)
    entrant(row, 4, "Deniz", house=True)
    entrant(row, 5, "Efe", withdrawn_at=timezone.now())

    page = director.get(url("entrants"))

    found = [(line.name, line.label) for line in page.context["found"]]
    assert found == [
        ("Ayşe", "here"),
        ("Burak", "not checked in"),
        ("Cem", "from round 3"),
        ("Deniz", "house player"),
        ("Efe", "withdrawn"),
    ]
    assert "5 entrants · here: 1 of 2 · later: 1 · house players: 1 · withdrawn: 1" in page.text


def test_list_is_searched_by_name_number_and_team(director, row):
    entrant(row, 1, "Işıl Yılmaz")
    entrant(row, 12, "Burak", team="ISPARTA")
    entrant(row, 2, "Cem")

    def found(asked):
        page = director.get(url("entrants"), {"q": asked}, headers={"HX-Request": "true"})
        assert "<html" not in page.text
        return [line.name for line in page.context["found"]]

    assert (found("is"), found("12"), found("yıl ış"), found("zz")) == (
        ["Işıl Yılmaz", "Burak"],
        ["Burak"],
        ["Işıl Yılmaz"],
        [],
    )


def test_members_see_the_names_as_players_wish_and_find_them_by_nothing_else(visitor, club, row):
    entrant(row, 1, "Zümrüt Gizlioğlu", player__initials=True)
    member = visitor.become("member", club)

    assert "Gizlioğlu" not in member.get(url("entrants")).text
    assert [line.name for line in member.get(url("entrants")).context["found"]] == ["Z. G."]
    assert not member.get(url("entrants"), {"q": "gizli"}).context["found"]


def test_names_lead_to_the_pages_that_everybody_may_see(client, club, row):
    for number, name in enumerate(("Ayşe", "Burak Gizli"), 1):
        entrant(row, number, name, player__initials=number == 2)
    player = row.entrants.get(number=1).player
    Event.objects.update(published=True)
    page = reverse("player", args=[club.slug, player.public_id])

    shown = []
    for published in (False, True):
        Club.objects.update(published=True, in_server_ratings=published)
        shown.append(client.get(url("entrants")).text)

    assert [f'href="{page}">Ayşe<' in text for text in shown] == [False, True]
    assert all(re.search(r'"entrant-name">\s*B. G.\s*<', text) for text in shown)


def test_one_tap_checks_in_and_one_more_takes_it_back(director, row):
    one = entrant(row, 7, "Ayşe")
    entrant(row, 8, "Burak")

    answer = director.post(url("check_entrant"), {"here": "7", "q": "ay"})
    assert answer["Location"] == f"{url('entrants')}?q=ay#e7"
    one.refresh_from_db()
    assert one.checked_in == 1

    part = director.post(url("check_entrant"), {"gone": "7"}, headers={"HX-Request": "true"})
    assert part.text.startswith('<li id="e7"')
    assert ('aria-pressed="false"' in part.text, "here: 0 of 2" in part.text) == (True, True)
    one.refresh_from_db()
    assert one.checked_in == 0
    gone = director.post(url("check_entrant"), {"here": "9"}, follow=True)
    assert "They are on the list no more." in gone.text
    gone = director.post(url("check_entrant"), {"here": "x"}, headers={"HX-Request": "true"})
    assert gone["HX-Refresh"] == "true"


def test_one_button_marks_everybody_here_who_is_asked(director, row):
    entrant(row, 1, "Ayşe", checked_in=1)
    entrant(row, 2, "Burak")
    entrant(row, 3, "Cem", withdrawn_at=timezone.now())
    entrant(row, 4, "Deniz", house=True)
    assert 'name="all"' in director.get(url("entrants")).text

    for _ in range(2):
        assert director.post(url("check_entrant"), {"all": "1"})["Location"] == url("entrants")

    assert list(row.entrants.values_list("checked_in", flat=True)) == [1, 1, 0, 0]
    assert AuditEntry.objects.get().after == {"entrants": ["e2"]}
    assert 'name="all"' not in director.get(url("entrants")).text


def test_players_of_the_club_are_ticked_those_of_last_time_first(director, row):
    club = row.event.club
    ada, bora, cem = (PlayerFactory(club=club, name=name) for name in ("Ada", "Bora", "Cem"))
    PlayerFactory(club=club, name="Eda", merged_into=ada)
    last = EventFactory(club=club, held_on=row.event.held_on)
    TableFactory(round__event=last, players=["Zeki", "Cem", "Yıldız", "Şule"])
    entrant(row, 5, "Deniz", player__club=club)

    page = director.get(url("add_entrants"))
    groups = page.context["offered"]
    assert [[player.name for player in group] for group in groups.values()] == [
        ["Cem", "Şule", "Yıldız", "Zeki"],
        ["Ada", "Bora"],
    ]
    chosen = {"what": "ticked", "player": [bora.public_id, cem.public_id, cem.public_id, "x"]}
    answer = director.post(url("add_entrants"), chosen, follow=True)
    again = director.post(url("add_entrants"), chosen, follow=True)

    assert ("2 are registered." in answer.text, "Nobody is chosen." in again.text) == (True, True)
    assert names(row) == ["Deniz", "Cem", "Bora"]


@pytest.mark.parametrize("way", ["ticked", "list"])
def test_ticked_and_pasted_walk_ins_are_seated_in_a_running_round(director, club, way):
    round_ = going(club)
    said = {"what": "ticked", "player": PlayerFactory(club=club, name="Zeynep").public_id}
    if way == "list":
        said = {"list": "Zeynep\n"}
    page = of_all("add_entrants", round_)
    assert len(re.findall('class="button[ "]', director.get(of_all("entrants", round_)).text)) == 1
    offered = director.get(page) if way == "ticked" else director.post(page, {**said, "what": way})
    assert "seat in round 1" in offered.text

    answer = director.post(page, {**said, "seat": "1"}, follow=True)

    assert round_.event.tournament.entrants.get(number=9).sittings.get().round == round_
    assert "Zeynep is number 9 and sits round 1 out." in answer.text


def test_director_types_one_after_another(director, row):
    known = PlayerFactory(club=row.event.club, name="Işıl Yılmaz")

    answer = director.post(
        url("add_entrants"), {"what": "one", "name": "ışıl yılmaz", "team": "Moda"}, follow=True
    )
    assert "Işıl Yılmaz is number 1." in answer.text
    again = director.post(url("add_entrants"), {"what": "one", "name": "Işıl Yılmaz"})
    assert again.status_code == 422
    assert "Işıl Yılmaz takes part already, as number 1." in again.text
    assert row.entrants.get().player == known


def test_pasted_list_is_looked_at_and_then_registered_as_a_whole(director, row):
    PlayerFactory(club=row.event.club, name="Ayşe Kaya")
    seen = paste(director, "list", "1. ayşe kaya; Moda\n2. Burak; Moda; Kadıköy\n")

    assert seen.status_code == 200
    assert [line.names for line in seen.context["preview"]] == [
        [("Ayşe Kaya", False)],
        [("Burak", True)],
    ]
    assert not row.entrants.exists()

    answer = paste(director, "sure", seen.context["text"], follow=True)
    twice = paste(director, "sure", seen.context["text"])

    assert answer["Location"] == twice["Location"] == url("entrants")
    assert list(row.entrants.values_list("player__name", "team", "represents")) == [
        ("Ayşe Kaya", "Moda", ""),
        ("Burak", "Moda", "Kadıköy"),
    ]
    assert AuditEntry.objects.filter(action="add-entrants").count() == 1


def test_list_says_what_is_wrong_at_each_line_and_registers_nobody(director, row):
    entrant(row, 4, "Deniz")

    for what in ("list", "sure"):
        seen = paste(director, what, "Ayşe\nDENİZ\nayşe\n–\nBurak + Cem\n")

        assert seen.status_code == 422
        assert [(line.line.number, line.problem) for line in seen.context["wrong"]] == [
            (2, "Deniz takes part already, as number 4."),
            (3, "ayşe is in the list twice."),
            (4, "A name has letters, and 80 of them at most."),
            (5, "Everybody plays alone here: one name on each line."),
        ]
    assert names(row) == ["Deniz"]
    assert Player.objects.count() == 1


def test_near_names_mean_players_of_the_club_and_faults_are_left_out(director, row):
    leyla, ak, kaya = (
        PlayerFactory(club=row.event.club, name=name)
        for name in ("Leyla Tunç", "Ayşe Ak", "Ayşe Kaya")
    )
    text = "leyla tunc\nAyşe\nDeniz\nDENİZ\n"

    seen = paste(director, "skip", text)
    refused = paste(director, "sure", seen.context["text"])

    assert {each.name: each.chosen for each in refused.context["names"]} == {
        "leyla tunc": leyla.public_id,
        "Ayşe": "",
    }
    assert (refused.status_code, seen.context["wrong"], names(row)) == (422, [], [])
    chosen = {"name.0": "Ayşe", "as.0": kaya.public_id}
    paste(director, "sure", seen.context["text"], **chosen)
    assert names(row) == ["Leyla Tunç", "Ayşe Kaya", "Deniz"]
    asked = director.post(url("add_entrants"), {"what": "one", "name": "ayse ak"})
    assert [(each.name, each.chosen) for each in asked.context["names"]] == [
        ("ayse ak", ak.public_id)
    ]


def test_file_of_a_spreadsheet_is_looked_at_like_a_list(director, row):
    rows = (["İsim", "Takım"], ["Ayşe", "Moda"], ["Burak", None])
    files = {"a.xlsx": workbook(*rows), "a.csv": "Ayşe;Moda\r\nBurak;\r\n".encode("cp1254")}

    for name, content in files.items():
        seen = paste(director, "list", "", file=SimpleUploadedFile(name, content))
        assert [line.typed for line in seen.context["preview"]] == ["Ayşe", "Burak"]
        assert seen.context["text"] == "Name\tPartner\tTeam\tClub\nAyşe\t\tModa\t\nBurak\t\t\t\n"
    broken = paste(director, "list", "", file=SimpleUploadedFile("a.xlsx", b"PK\x03\x04"))
    assert (broken.status_code, "cannot be read" in broken.text) == (422, True)
    assert paste(director, "list", " ").status_code == 422


def test_pairs_are_typed_and_pasted(director, row):
    row.event.ruleset = "italian-king-pairs"
    row.event.save()

    director.post(url("add_entrants"), {"what": "one", "name": "Ada", "name2": "Bora"})
    seen = paste(director, "list", "Cem + Deniz\nEfe\n")
    assert [line.problem for line in seen.context["preview"]] == [
        "",
        "The partner is missing: pairs play here.",
    ]
    paste(director, "sure", "Cem + Deniz\nEfe\tFulya\n".replace("\t", " / "))

    assert names(row) == ["Ada + Bora", "Cem + Deniz", "Efe + Fulya"]


def test_entrant_withdraws_returns_is_a_house_player_and_changes_team(director, row):
    one = entrant(row, 3, "Ayşe")

    def after(name, **body):
        assert director.post(url(name, 3), body)["Location"] == url("entrant", 3)
        one.refresh_from_db()
        return one

    assert after("withdraw_entrant").withdrawn_at is not None
    assert "Plays again" in director.get(url("entrant", 3)).text
    assert after("return_entrant").withdrawn_at is None
    assert after("mark_house", house="1").house
    assert not after("mark_house", house="0").house
    assert after("change_entrant", team="Moda", represents="Kadıköy").team == "Moda"
    wrong = director.post(url("change_entrant", 3), {"team": "–"})
    assert (wrong.status_code, "A team or a club has letters" in wrong.text) == (422, True)


def test_entrant_is_taken_off_the_list_once_and_not_when_seated(director, row):
    entrant(row, 1, "Ayşe")
    seated = SittingFactory(round__event=row.event, entrant=entrant(row, 2, "Burak"))

    for _ in range(2):
        assert director.post(url("remove_entrant", 1))["Location"] == url("entrants")
    answer = director.post(url("remove_entrant", 2), follow=True)

    assert "They were seated already: they can withdraw." in answer.text
    assert "Take off the list" not in director.get(url("entrant", 2)).text
    assert list(Entrant.objects.all()) == [seated.entrant]


def test_substitute_is_put_and_taken_out_again(director, row):
    one = entrant(row, 1, "Ayşe")
    other = entrant(row, 2, "Burak")
    body = {"name": "Zeki", "round_number": 1, "instead_of": one.player_id}

    director.post(url("put_substitute", 1), body)
    page = director.get(url("entrant", 1)).text
    assert "Round 1: Zeki for Ayşe" in page
    for wrong, sentence in (
        ({"name": "Burak"}, "Burak plays this round already."),
        ({"name": "–"}, "A name has letters, and 80 of them at most."),
        ({"round_number": 9}, "There are 3 rounds."),
        ({"instead_of": other.player_id}, "Select a valid choice"),
    ):
        answer = director.post(url("put_substitute", 1), body | wrong)
        assert (answer.status_code, sentence in answer.text) == (422, True)

    key = {"substitute": Substitute.objects.get().pk}
    for _ in range(2):
        assert director.post(url("take_out_substitute", 1), key)["Location"] == url("entrant", 1)
    assert not Substitute.objects.exists()
    done = set(AuditEntry.objects.filter(kind="event").values_list("kind", "action"))
    assert {("event", "put-substitute"), ("event", "take-out-substitute")} == done
    assert done <= set(ACTIONS)
