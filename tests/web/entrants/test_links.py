import json

import pytest
from django.core.cache import cache
from django.urls import reverse

from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tests.web.entrants.entering import entrant
from tournaments.engine.documents.tournaments import read_tournament, standings_of, write_tournament
from tournaments.models import AuditEntry, Tournament
from tournaments.queries.overview import list_entrants
from tournaments.queries.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.lifecycle import move_tournament
from tournaments.services.tournaments.record_import import Into, import_tournament


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


def test_link_is_limited_for_each_address(visitor, row):
    cache.clear()
    answers = [visitor.post(link(row), {"name": "–"}).status_code for _ in range(61)]
    cache.clear()

    assert answers == [422] * 60 + [429]


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
    there = import_tournament(document, NOBODY, at=EVENING, into=Into(ClubFactory()))
    assert list(there.entrants.queued().values_list("number", flat=True)) == [2, 6]

    move_tournament(row.pk, "running", NOBODY, at=EVENING)
    send("withdraw_entrant", 1)
    assert waiting() == ["Bora", "Fulya"]
