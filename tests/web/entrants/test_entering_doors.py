"""The links of a tournament: players register and check in; their cards are the director's."""

import pytest
from django.core.cache import cache
from django.urls import reverse

from tests.club_factories import EntrantFactory, EventFactory, PlayerFactory, TournamentFactory
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(club):
    event = EventFactory(club=club, name="Moda Açık")
    return TournamentFactory(
        event=event, slug="acik", state="registration", settings={"check_in": "once"}
    )


def link(row, kind="register"):
    return reverse(kind.replace("-", "_"), args=[row.public_id, row.secret(kind)])


def text(answer):
    return answer.content.decode()


def entrant(row, number, name, **fields):
    return EntrantFactory(tournament=row, number=number, player__name=name, **fields)


def test_link_registers_once_and_says_which_number(visitor, row):
    entrant(row, 11, "Deniz")
    assert "The whole name, please" in text(visitor.get(link(row)))

    for name in ("Işıl Yılmaz", "IŞIL YILMAZ"):
        answer = visitor.post(link(row), {"name": name, "team": "Moda"})
        assert answer["Location"] == f"{link(row)}?number=12"

    assert "You are number <strong>12</strong>" in text(visitor.get(f"{link(row)}?number=12"))
    assert "<b>" not in text(visitor.get(f"{link(row)}?number=<b>"))
    assert list(row.entrants.values_list("number", "player__name", "team")) == [
        (11, "Deniz", ""),
        (12, "Işıl Yılmaz", "Moda"),
    ]


def test_link_says_why_a_pair_cannot_be(visitor, row):
    row.event.ruleset = "italian-king-pairs"
    row.event.save()
    visitor.post(link(row), {"name": "Ada", "name2": "Bora"})

    answer = visitor.post(link(row), {"name": "Bora", "name2": "Cem"})
    alone = visitor.post(link(row), {"name": "Deniz"})

    assert (answer.status_code, alone.status_code) == (422, 422)
    assert "Bora takes part already, as number 1." in text(answer)
    assert row.entrants.count() == 1


@pytest.mark.parametrize(
    ("state", "sentence"),
    [("draft", "Registration is not open yet."), ("running", "Registration is closed.")],
)
def test_link_registers_nobody_while_registration_is_not_open(visitor, row, state, sentence):
    Tournament.objects.update(state=state)

    assert sentence in text(visitor.get(link(row)))
    answer = visitor.post(link(row), {"name": "Zeki"})

    assert (answer.status_code, sentence in text(answer)) == (422, True)
    assert not row.entrants.exists()


def test_account_with_a_player_of_the_club_finds_the_name_filled_in(visitor, club, row):
    member = visitor.become("member", club)
    PlayerFactory(club=club, name="Işıl Yılmaz", account=member.user)

    assert 'value="Işıl Yılmaz"' in text(member.get(link(row)))


def test_link_is_limited_for_each_address(visitor, row):
    cache.clear()
    answers = [visitor.post(link(row), {"name": "–"}).status_code for _ in range(61)]
    cache.clear()

    assert answers == [422] * 60 + [429]


def test_replaced_links_open_nothing(visitor, row):
    old = [link(row), link(row, "check-in")]
    Tournament.objects.update(link_generation=2)

    assert [visitor.get(path).status_code for path in old] == [404, 404]


def test_player_taps_the_own_name_and_is_here(visitor, row):
    one = entrant(row, 1, "Ayşe Kaya", player__initials=True)
    entrant(row, 2, "Burak")
    entrant(row, 3, "Cem", withdrawn_at=row.event.created_at)
    entrant(row, 4, "Deniz", house=True)
    door = link(row, "check-in")

    page = visitor.get(door)
    assert [line.name for line in page.context["found"]] == ["A. K.", "Burak"]
    assert "Are you A. K.?" in text(visitor.get(f"{door}?entrant=1"))
    done = visitor.post(door, {"entrant": "1"})

    assert "You are here: number <strong>1</strong>" in text(done)
    one.refresh_from_db()
    assert one.checked_in == 1
    assert [line.state for line in visitor.get(door).context["found"]] == ["here", "missing"]
    assert visitor.post(door, {"entrant": "3"}).status_code == 409
    assert "Kaya" not in text(visitor.get(door))


def test_own_name_is_found_by_its_letters_or_number(visitor, row):
    entrant(row, 1, "Ayşe Kaya", player__initials=True)
    entrant(row, 2, "Burak")
    door = link(row, "check-in")

    def found(asked):
        page = visitor.get(door, {"q": asked}, headers={"HX-Request": "true"})
        assert "<html" not in text(page)
        return [line.name for line in page.context["found"]]

    assert (found("bu"), found("1"), found("kaya")) == (["Burak"], ["A. K."], [])


def test_nobody_checks_in_where_nobody_is_asked(visitor, row):
    one = entrant(row, 1, "Ayşe")
    Tournament.objects.update(settings={"check_in": "none"})
    door = link(row, "check-in")

    assert "Nobody has to check in now." in text(visitor.get(door))
    visitor.post(door, {"entrant": "1"})
    one.refresh_from_db()
    assert one.checked_in == 0


@pytest.mark.parametrize(("many", "queries"), [(1, 4), (3, 4)])
def test_check_in_asks_as_many_queries_however_many_there_are(
    visitor, row, many, queries, django_assert_num_queries
):
    for number in range(1, many + 1):
        entrant(row, number, f"Oyuncu {number}")

    with django_assert_num_queries(queries):
        visitor.get(link(row, "check-in"))


@pytest.mark.parametrize("kind", ["register", "check-in"])
def test_card_shows_the_link_to_directors(visitor, club, row, kind):
    name = f"{kind.replace('-', '_')}_card"
    page = visitor.become("director", club).get(reverse(name, args=["moda", "acik"]))

    assert f"http://testserver{link(row, kind)}" in text(page)
    assert "<svg" in text(page)
