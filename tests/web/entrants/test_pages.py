import json
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from tests import club_factories as make
from tests.api.conftest import Program
from tests.factories import EVENING
from tests.tournament_builders import closed, running
from tests.web.imports.archives import workbook
from tests.web.rounds.going import going, of_all
from tournaments.engine.documents.tournaments import read_tournament, standings_of, write_tournament
from tournaments.models import AuditEntry, Club, Entrant, Event, Player, Substitute, Tournament
from tournaments.queries.overview import list_entrants
from tournaments.queries.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.lifecycle import move_tournament
from tournaments.services.tournaments.record_import import Into, import_tournament
from tournaments.web.audit.texts import ACTIONS


def url(name, *args):
    return reverse(name, args=["moda", "acik", *args])


def names(row):
    return [" + ".join(p.name for p in e.players) for e in row.entrants.select_related("player")]


def paste(client, what, text, seen=None, **fields):
    """Send a list; with `seen`, a preview, as its form sends it."""
    if seen:
        fields = {"seen": seen.context["seen"], **fields}
    return client.post(url("add_entrants"), {"what": what, "list": text, **fields})


def previewed(page):
    return [line["names"] for line in page.context["lines"]]


def test_list_says_who_is_here_comes_later_and_has_left(director, row):
    entrant(row, 1, "Ayşe", checked_in=1, team="Moda")
    entrant(row, 2, "Burak", represents="Kadıköy")
    entrant(row, 3, "Cem", joins_in=3)
    entrant(row, 4, "Deniz", house=True)
    entrant(row, 5, "Efe", withdrawn_at=timezone.now())

    page = director.get(url("entrants"))

    found = [(line.name, line.label) for line in page.context["found"]]
    assert found == [
        ("Burak", "not checked in"),
        ("Ayşe", "here"),
        ("Cem", "from round 3"),
        ("Deniz", "house player"),
        ("Efe", "withdrawn"),
    ]
    assert "5 entrants · here: 1 of 2 · later: 1 · house players: 1 · withdrawn: 1" in page.text


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
    assert "They are no longer on the list." in gone.text
    gone = director.post(url("check_entrant"), {"here": "x"}, headers={"HX-Request": "true"})
    assert gone["HX-Refresh"] == "true"


def on_the_list(row, field):
    return list(row.entrants.order_by("number").values_list(field, flat=True))


def test_one_button_marks_everybody_here_who_is_asked(director, row):
    entrant(row, 1, "Ayşe", checked_in=1)
    for number, name in enumerate(("Burak", "Can"), 2):
        entrant(row, number, name)
    entrant(row, 4, "Cem", withdrawn_at=timezone.now())
    entrant(row, 5, "Deniz", house=True)
    assert 'name="here" value="all"' in director.get(url("entrants")).text

    for _ in range(2):
        assert director.post(url("check_entrant"), {"here": "all"})["Location"] == url("entrants")
    assert on_the_list(row, "checked_in") == [1, 1, 1, 0, 0]
    assert AuditEntry.objects.get().after == {"entrants": ["e2", "e3"]}
    page = director.get(url("entrants"))
    assert 'value="all"' not in page.text
    assert 'name="gone" value="2 3"' in page.text

    # Of those undone by one tap, only who is still here.
    director.post(url("check_entrant"), {"gone": "2"})
    for _ in range(2):
        director.post(url("check_entrant"), {"gone": "2 3"})
    assert on_the_list(row, "checked_in") == [1, 0, 0, 0, 0]
    # Who then comes one by one is not undone together.
    for number in (2, 3):
        director.post(url("check_entrant"), {"here": number})
    assert 'name="gone" value="2 3"' not in director.get(url("entrants")).text


def test_who_has_not_paid_stands_first_and_all_have_paid_with_one_tap(director, row):
    Tournament.objects.update(settings={"check_in": "once", "fee": "20"})
    entrant(row, 1, "Ayşe", checked_in=1, paid=True)
    entrant(row, 2, "Burak", checked_in=1)
    entrant(row, 3, "Cem", paid=True)
    entrant(row, 4, "Deniz")
    entrant(row, 5, "Efe", withdrawn_at=timezone.now())
    entrant(row, 6, "Filiz", house=True)

    page = director.get(url("entrants"))
    assert [line.entrant.number for line in page.context["found"]] == [4, 3, 2, 1, 5, 6]
    assert "here: 2 of 4 · paid: 2 of 4" in page.text

    part = director.post(url("check_entrant"), {"paid": "2"}, headers={"HX-Request": "true"})
    assert part.text.startswith('<li id="e2"')
    assert "paid: 3 of 4" in part.text
    director.post(url("check_entrant"), {"unpaid": "2"})
    for _ in range(2):
        director.post(url("check_entrant"), {"paid": "all"})
    assert on_the_list(row, "paid") == [True, True, True, True, False, False]
    assert AuditEntry.objects.filter(action="fee-paid").latest("pk").after == {
        "entrants": ["e2", "e4"]
    }
    assert 'name="unpaid" value="2 4"' in director.get(url("entrants")).text
    for _ in range(2):
        director.post(url("check_entrant"), {"unpaid": "2 4"})
    assert on_the_list(row, "paid") == [True, False, True, False, False, False]


def test_code_of_a_badge_and_the_card_of_a_member_open_their_line(visitor, director, row):
    club = row.event.club
    entrant(row, 1, "Ayşe")
    player = entrant(row, 7, "Burak", player__club=club).player
    line = f"{url('entrants')}?q=7"

    badge = director.get(url("name_badge", 7))
    assert badge.context["card"]["address"].endswith(line)
    assert [each.name for each in director.get(line).context["found"]] == ["Burak"]

    card = reverse("claim", args=[player.public_id, player.claim_secret])
    assert line in director.get(card).text
    assert line not in visitor.become("member", club).get(card).text
    # Who is somebody else here cannot claim anyway.
    helper = visitor.become("director", club)
    make.PlayerFactory(club=club, account=helper.user)
    assert helper.get(card)["Location"] == line
    Tournament.objects.update(state="finished")
    assert "Location" not in helper.get(card)


def test_players_of_the_club_are_ticked_those_of_last_time_first(director, row):
    club = row.event.club
    ada, bora, cem = (make.PlayerFactory(club=club, name=name) for name in ("Ada", "Bora", "Cem"))
    make.PlayerFactory(club=club, name="Eda", merged_into=ada)
    last = make.EventFactory(club=club, held_on=row.event.held_on)
    make.TableFactory(round__event=last, players=["Zeki", "Cem", "Yıldız", "Şule"])
    entrant(row, 5, "Deniz", player__club=club)

    page = director.get(url("add_entrants"))
    groups = page.context["offered"]
    assert [[player.name for player in group] for group in groups.values()] == [
        ["Cem", "Şule", "Yıldız", "Zeki"],
        ["Ada", "Bora"],
    ]
    assert " checked" not in page.text
    chosen = {"what": "ticked", "player": [bora.public_id, cem.public_id, cem.public_id, "x"]}
    answer = director.post(url("add_entrants"), chosen, follow=True)
    again = director.post(url("add_entrants"), chosen, follow=True)

    assert ("2 are registered." in answer.text, "Nobody is chosen." in again.text) == (True, True)
    assert names(row) == ["Deniz", "Cem", "Bora"]


def test_everybody_is_ticked_for_the_first_event_of_a_club(director, row):
    players = make.PlayerFactory.create_batch(3, club=row.event.club)

    ticked = re.findall(r'value="(\w+)" checked', director.get(url("add_entrants")).text)

    assert sorted(ticked) == sorted(player.public_id for player in players)


@pytest.mark.parametrize("way", ["ticked", "list"])
def test_ticked_and_pasted_walk_ins_are_seated_in_a_running_round(director, club, way):
    round_ = going(club)
    said = {"what": "ticked", "player": make.PlayerFactory(club=club, name="Zeynep").public_id}
    if way == "list":
        said = {"list": "Zeynep\n"}
    page = of_all("add_entrants", round_)
    assert len(re.findall('class="button[ "]', director.get(of_all("entrants", round_)).text)) == 1
    offered = director.get(page) if way == "ticked" else director.post(page, {**said, "what": way})
    assert "seat in round 1" in offered.text

    if way == "list":
        said["seen"] = offered.context["seen"]
    answer = director.post(page, {**said, "seat": "1"}, follow=True)

    assert round_.event.tournament.entrants.get(number=9).sittings.get().round == round_
    assert "Zeynep is number 9 and sits round 1 out." in answer.text


def test_director_types_one_after_another(director, row):
    known = make.PlayerFactory(club=row.event.club, name="Işıl Yılmaz")

    answer = director.post(
        url("add_entrants"), {"what": "one", "name": "ışıl yılmaz", "team": "Moda"}, follow=True
    )
    assert "Işıl Yılmaz is number 1." in answer.text
    again = director.post(url("add_entrants"), {"what": "one", "name": "Işıl Yılmaz"})
    assert again.status_code == 422
    assert "Işıl Yılmaz takes part already, as number 1." in again.text
    assert row.entrants.get().player == known


def test_names_in_capitals_are_written_as_names_by_one_tap(director, row):
    make.PlayerFactory(club=row.event.club, name="Ayşe KAYA")
    seen = paste(director, "list", "ayşe kaya\nBURAK ÖZTÜRK\n")
    # Whoever is known to the club is called as there.
    assert seen.context["renamed"] == [("BURAK ÖZTÜRK", "Burak Öztürk")]

    written = paste(director, "", seen.context["typed"].text, as_names="1")

    assert previewed(written) == [[("Ayşe KAYA", False)], [("Burak Öztürk", True)]]
    assert "Write them as names" not in written.text


def test_pasted_list_is_looked_at_and_then_registered_as_a_whole(director, row):
    make.PlayerFactory(club=row.event.club, name="Ayşe Kaya")
    seen = paste(director, "list", "1. ayşe kaya; Moda\n2. Burak; Moda; Kadıköy\n")

    assert seen.status_code == 200
    assert previewed(seen) == [[("Ayşe Kaya", False)], [("Burak", True)]]
    text = seen.context["typed"].text
    unseen = paste(director, "import", text, **{"column.1": "represents"}, seen=seen)
    assert (unseen.status_code, row.entrants.exists()) == (422, False)

    answer = paste(director, "import", text, seen=seen)
    twice = paste(director, "import", text, seen=seen)

    assert answer["Location"] == twice["Location"] == url("entrants")
    assert list(row.entrants.values_list("player__name", "team", "represents")) == [
        ("Ayşe Kaya", "Moda", ""),
        ("Burak", "Moda", "Kadıköy"),
    ]
    assert AuditEntry.objects.filter(action="add-entrants").count() == 1


def test_list_says_what_is_wrong_at_each_line_and_registers_nobody(director, row):
    entrant(row, 4, "Deniz")

    seen = None
    for what in ("list", "import"):
        seen = paste(director, what, "Ayşe\nDENİZ\nayşe\n–\nBurak + Cem\n=A1\n", seen=seen)

        assert seen.status_code == 422
        assert seen.context["faults"] == [
            (2, "Deniz takes part already, as number 4."),
            (3, "ayşe is in the list twice."),
            (4, "A name has letters, and 80 of them at most."),
            (5, "Everybody plays alone here: one name on each line."),
            (6, "Name: “=A1” is a formula. Save the table with its values."),
        ]
    assert names(row) == ["Deniz"]
    assert Player.objects.count() == 1


def test_list_of_fees_marks_who_has_paid_and_registers_who_is_new(director, row):
    for number, name in enumerate(("Ayşe", "Burak", "Cem"), 1):
        entrant(row, number, name)
    text = "Ad Soyad;Katılım ücreti\nAyşe;200 TL\nBURAK;0,00\nCem;evet\nDeniz;€ 10\nToplam;410\n"

    wrong = paste(director, "list", text.replace("evet", "belki"))
    seen = paste(director, "list", text)
    for _twice in (1, 2):
        assert paste(director, "import", text, seen=seen).status_code == 302

    assert wrong.context["faults"] == [(4, "Entry fee: “belki” is neither yes nor no.")]
    assert [line["detail"] for line in seen.context["lines"]] == ["paid", "", "paid", "paid"]
    assert names(row) == ["Ayşe", "Burak", "Cem", "Deniz"]
    assert [*row.entrants.values_list("paid", flat=True)] == [True, False, True, True]
    assert AuditEntry.objects.filter(action="fee-paid").count() == 1
    text = "Ad Soyad;Katılım ücreti\nBurak;evet\n"
    paste(director, "import", text, seen=paste(director, "list", text))
    assert [*row.entrants.values_list("paid", flat=True)] == [True] * 4


def test_near_names_mean_players_of_the_club_and_faults_are_left_out(director, row):
    leyla, ak, kaya = (
        make.PlayerFactory(club=row.event.club, name=name)
        for name in ("Leyla Tunç", "Ayşe Ak", "Ayşe Kaya")
    )
    text = "leyla tunc\nAyşe\nDeniz\nDENİZ\n"

    seen = paste(director, "skip", text)
    skip = [line["number"] for line in seen.context["lines"] if line["skipped"]]
    refused = paste(director, "import", text, seen=seen, skip=skip)

    assert {each.name: each.chosen for each in refused.context["names"]} == {
        "leyla tunc": leyla.public_id,
        "Ayşe": "",
    }
    assert (refused.status_code, skip, seen.context["wrong"], names(row)) == (422, [4], "", [])
    chosen = {"name.0": "Ayşe", "as.0": kaya.public_id, "skip": skip}
    answered = paste(director, "look", text, **chosen)
    paste(director, "import", text, seen=answered, **chosen)
    assert names(row) == ["Leyla Tunç", "Ayşe Kaya", "Deniz"]
    asked = director.post(url("add_entrants"), {"what": "one", "name": "ayse ak", "seat": "1"})
    assert (asked.status_code, asked.context["changed"]) == (200, False)
    assert [(each.name, each.chosen) for each in asked.context["names"]] == [
        ("ayse ak", ak.public_id)
    ]


def test_file_of_a_spreadsheet_is_looked_at_like_a_list(director, row):
    rows = (["İsim", "Takım"], ["Ayşe", "Moda"], ["Burak", None])
    files = {"a.xlsx": workbook(*rows), "a.csv": "Ayşe;Moda\r\nBurak;\r\n".encode("cp1254")}

    for name, content in files.items():
        seen = paste(director, "list", "", file=SimpleUploadedFile(name, content))
        assert previewed(seen) == [[("Ayşe", True)], [("Burak", True)]]
        assert [line["detail"] for line in seen.context["lines"]] == ["Moda", ""]
    broken = paste(director, "list", "", file=SimpleUploadedFile("a.xlsx", b"PK\x03\x04"))
    assert (broken.status_code, "cannot be read" in broken.text) == (422, True)
    assert paste(director, "list", " ").status_code == 422


def test_pairs_are_typed_and_pasted(director, row):
    row.event.ruleset = "italian-king-pairs"
    row.event.save()

    director.post(url("add_entrants"), {"what": "one", "name": "Ada", "name2": "Bora"})
    seen = paste(director, "list", "Cem + Deniz\nEfe\n")
    assert seen.context["faults"] == [(2, "The partner is missing: pairs play here.")]
    text = "Cem + Deniz\nEfe / Fulya\n"
    paste(director, "import", text, seen=paste(director, "list", text))

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
    assert after("change_entrant", preferred_table=2).preferred_table == 2
    assert after("change_entrant").preferred_table is None
    wrong = director.post(url("change_entrant", 3), {"team": "–"})
    assert (wrong.status_code, "A team or a club has letters" in wrong.text) == (422, True)


def test_entrant_is_taken_off_the_list_once_and_not_when_seated(director, row):
    entrant(row, 1, "Ayşe")
    stay = [entrant(row, number, name) for number, name in ((2, "Burak"), (3, "Cem"))]
    make.SittingFactory(round__event=row.event, round__number=1, entrant=stay[0])
    proposal = {"tables": [["e3"]], "byes": []}
    make.RoundFactory(event=row.event, number=2, seating=proposal, opened_at=None)

    for _ in range(2):
        assert director.post(url("remove_entrant", 1))["Location"] == url("entrants")
    for number in (2, 3):
        answer = director.post(url("remove_entrant", number), follow=True)
        assert "They were seated already: they can withdraw." in answer.text

    assert "Take off the list" not in director.get(url("entrant", 2)).text
    assert list(Entrant.objects.all()) == stay


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


def link(row, kind="register"):
    return reverse(kind.replace("-", "_"), args=[row.public_id, row.secret(kind)])


def test_link_registers_once_and_says_which_number(visitor, row):
    entrant(row, 11, "Deniz")
    assert "The whole name, please" in visitor.get(link(row)).text

    for name in ("Işıl Yılmaz", "IŞIL YILMAZ"):
        answer = visitor.post(link(row), {"name": name, "team": "Moda"})
        assert answer["Location"] == f"{link(row)}?number=12"

    assert "You are number <strong>12</strong>" in visitor.get(f"{link(row)}?number=12").text
    assert "<b>" not in visitor.get(f"{link(row)}?number=<b>").text
    assert list(row.entrants.values_list("number", "player__name", "team")) == [
        (11, "Deniz", ""),
        (12, "Işıl Yılmaz", "Moda"),
    ]


@pytest.mark.parametrize(
    ("state", "sentence"),
    [("draft", "Registration is not open yet."), ("running", "Registration is closed.")],
)
def test_link_registers_nobody_while_registration_is_not_open(visitor, row, state, sentence):
    Tournament.objects.update(state=state)

    assert sentence in visitor.get(link(row)).text
    answer = visitor.post(link(row), {"name": "Zeki"})

    assert (answer.status_code, sentence in answer.text) == (422, True)
    assert not row.entrants.exists()


@pytest.mark.parametrize(("hours", "is_open"), [(None, True), (1, True), (3, False)])
def test_registration_closes_the_hours_before_the_start(visitor, row, hours, is_open):
    starts = timezone.localtime() + timedelta(hours=2)
    Event.objects.update(held_on=starts.date(), starts_at=f"{starts:%H:%M}", published=True)
    settings = {"registration_closes_hours": hours, "open_registration": True}
    Tournament.objects.update(settings=settings)

    page = " ".join(visitor.get(reverse("tournament", args=["moda", "acik"])).text.split())
    answer = visitor.post(link(row), {"name": "Zeki"})

    assert (answer.status_code, row.entrants.count()) == ((302, 1) if is_open else (422, 0))
    assert (link(row) in page) is is_open
    assert ("Registration is open until the start." in page) is (hours is None)
    assert (f"Registration closes on {starts - timedelta(hours=1):%A}" in page) is (hours == 1)
    assert ("<b>Registration closed<" in page) is not is_open
    # In the list, and in what chats show of a link.
    Club.objects.update(published=True)
    lists = visitor.get(reverse("events", args=["moda"])).text
    assert ["registration is open" in text for text in (lists, page)] == [is_open] * 2


def test_link_is_limited_for_each_address(visitor, row, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"register_entrant": "3/m/ip"}
    cache.clear()
    answers = [visitor.post(link(row), {"name": "–"}).status_code for _ in range(4)]
    cache.clear()

    assert answers == [422] * 3 + [429]


def test_player_taps_the_own_name_and_is_here(visitor, row):
    one = entrant(row, 1, "Ayşe Kaya", player__initials=True)
    entrant(row, 2, "Burak")
    entrant(row, 3, "Cem", withdrawn_at=row.event.created_at)
    entrant(row, 4, "Deniz", house=True)
    address = link(row, "check-in")

    page = visitor.get(address)
    assert [line.name for line in page.context["found"]] == ["A. K.", "Burak"]
    assert "Are you A. K.?" in visitor.get(f"{address}?entrant=1").text
    done = visitor.post(address, {"entrant": "1"})

    assert "You are here: number <strong>1</strong>" in done.text
    one.refresh_from_db()
    assert one.checked_in == 1
    assert [line.state for line in visitor.get(address).context["found"]] == ["here", "missing"]
    assert visitor.post(address, {"entrant": "3"}).status_code == 409
    assert "Kaya" not in visitor.get(address).text


def test_own_name_is_found_by_its_letters_or_number(visitor, row):
    entrant(row, 1, "Ayşe Kaya", player__initials=True)
    entrant(row, 2, "Burak")
    address = link(row, "check-in")

    def found(asked):
        page = visitor.get(address, {"q": asked}, headers={"HX-Request": "true"})
        assert "<html" not in page.text
        return [line.name for line in page.context["found"]]

    assert (found("bu"), found("1"), found("kaya")) == (["Burak"], ["A. K."], [])


def test_nobody_checks_in_where_nobody_is_asked(visitor, row):
    one = entrant(row, 1, "Ayşe")
    Tournament.objects.update(settings={"check_in": "none"})
    address = link(row, "check-in")

    assert "Nobody has to check in now." in visitor.get(address).text
    visitor.post(address, {"entrant": "1"})
    one.refresh_from_db()
    assert one.checked_in == 0


@pytest.mark.parametrize("kind", ["register", "check-in"])
def test_card_shows_the_link_to_directors(visitor, club, row, kind):
    name = f"{kind.replace('-', '_')}_card"
    page = visitor.become("director", club).get(reverse(name, args=["moda", "acik"]))

    assert f"http://testserver{link(row, kind)}" in page.text
    assert "<svg" in page.text


@pytest.mark.parametrize(
    ("site", "warned"),
    [("http://127.0.0.1:8000", [True, False]), ("http://192.168.1.7:8000", [False, False])],
)
def test_codes_of_localhost_warn_once_a_day(settings, director, row, site, warned):
    settings.SITE_ADDRESS = site
    cards = ("register_card", "check_in_card")

    pages = [director.get(reverse(name, args=["moda", "acik"])) for name in cards]

    assert ["Other phones cannot reach" in page.text for page in pages] == warned


def test_beyond_the_capacity_one_waits_and_moves_up_before_the_start(director, row):
    Tournament.objects.update(settings={"capacity": 4})
    names = ("Ada", "Bora", "Cem", "Deniz", "Efe", "Fulya", "Gül")
    for name in names:
        shown = director.post(link(row), {"name": name}, follow=True)
    assert "you are on the waiting list, with number <strong>7</strong>" in shown.text

    def waiting():
        lines = list_entrants(row, directs=True).lines
        return [line.name for line in lines if line.state == "waiting"]

    def send(name, *args):
        return director.post(reverse(name, args=["moda", "acik", *args]), follow=True)

    assert waiting() == ["Efe", "Fulya", "Gül"]
    assert "Efe moves up from the waiting list." in send("withdraw_entrant", 2).text
    assert "Bora" not in waiting()
    assert "Let in" in director.get(reverse("entrant", args=["moda", "acik", 7])).text
    send("let_in_entrant", 7)
    send("return_entrant", 2)
    assert waiting() == ["Bora", "Fulya"]
    actions = AuditEntry.objects.filter(action="let-in").order_by("pk")
    assert [each.after["entrants"] for each in actions] == [["e5"], ["e7"]]

    row.refresh_from_db()
    document = json.loads(write_tournament(tournament_document(row)))
    keys = {each.entrant for each in standings_of(read_tournament(document))}
    assert {"e2", "e6"}.isdisjoint(keys | load_state(row).entrants.keys())
    document["tournament"]["slug"] = "orada"
    there = import_tournament(document, NOBODY, at=EVENING, into=Into(make.ClubFactory()))
    assert list(there.entrants.queued().values_list("number", flat=True)) == [2, 6]

    move_tournament(row.pk, "running", NOBODY, at=EVENING)
    send("withdraw_entrant", 1)
    assert waiting() == ["Bora", "Fulya"]


FEES = {"fee": "10.01", "prizes": ["50%", "30%", "20%"]}


def test_paid_fees_are_shared_out_and_ties_share_their_prizes(visitor):
    row = running("Ada", "Bora", "Cem", "Deniz")
    closed(row, tables=[[2, 4, 1, 3]])
    Tournament.objects.update(settings={**row.settings, **FEES, "tie_breaks": []})
    director = visitor.become("director", row.event.club)
    fees = reverse("fees", args=[row.event.club.slug, row.slug])
    for number in (1, 2, 3):
        director.post(fees, {"paid": number})
    director.post(fees, {"unpaid": 3})

    page = director.get(fees)
    assert (page.context["paid"], page.context["pot"]) == (2, "20.02")
    assert page.context["prizes"] == [
        (1, "Deniz", "10.02", ""),
        (2, "Bora", "5", ""),
        (2, "Cem", "5", ""),
    ]
    assert list(Entrant.objects.values_list("paid", flat=True)) == [True, True, False, False]
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions)[-2:] == ["fee-paid", "fee-not-paid"]

    said = {**row.settings, "prizes": ["20", "3", "2.01"], "tie_breaks": []}
    Tournament.objects.update(settings=said)
    prizes = director.get(fees).context["prizes"]
    assert prizes == [(1, "Deniz", "20", ""), (2, "Bora", "2.51", ""), (2, "Cem", "2.50", "")]


def test_only_directors_see_who_has_paid(visitor):
    row = running("Ada", "Bora")
    club = row.event.club
    program = Program()
    entrants = f"clubs/{club.slug}/tournaments/{row.slug}/entrants/"
    director, member = (
        make.MemberFactory(club=club, role=role).user for role in ("director", "member")
    )

    assert program.as_(director).patch(f"{entrants}1/", {"paid": True}).json()["paid"] is True
    seen = [program.as_(user).get(entrants).json()["results"] for user in (director, member)]
    assert [[each["paid"] for each in page] for page in seen] == [[True, False], [None, None]]
    document = program.as_(director).get(f"clubs/{club.slug}/tournaments/{row.slug}/record/").json()
    assert [each.get("paid") for each in document["entrants"]] == [True, None]


def entrant(row, number, name, **fields):
    return make.EntrantFactory(tournament=row, number=number, player__name=name, **fields)
