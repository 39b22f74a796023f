import pytest
from django.urls import reverse

from tests.club_factories import ClubFactory
from tests.web.games.test_starting import TABLE
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.web.base.phone import address
from tournaments.web.games.game_setup import NAMES

NEEDS_A_SIGNAL = {
    *("turkish-king-sealed", "italian-king-pirandello", "italian-king-pairs"),
    *("italian-king-pairs-choice", "krapet", "euchre", "euchre-two", "euchre-three"),
    *("euchre-railroad", "barbu"),
}
PAGES = ("new_offline", "table_offline")


def test_script_that_starts_a_table_gets_its_addresses_once(visitor):
    json = {"Accept": "application/json"}
    said = [visitor.post(reverse("new"), TABLE, headers=json) for _tap in range(2)]

    game = Game.objects.get()
    write = address(game, "write")
    assert [answer.status_code for answer in said] == [201, 201]
    assert said[1].json() == {"game": game.public_id, "address": write, "base": write}
    assert "games" in visitor.cookies


def test_script_that_starts_no_table_gets_the_reasons(visitor):
    wrong = {**TABLE, "name1": TABLE["name0"]}
    answer = visitor.post(reverse("new"), wrong, headers={"Accept": "application/json"})

    assert answer.status_code == 422
    assert "Ayşe sits here twice." in answer.content.decode()
    assert not Game.objects.exists()


def test_empty_tables_are_those_that_a_phone_can_play_to_the_end(visitor):
    tables = {
        table.id: table.html for table in visitor.get(reverse("table_offline")).context["tables"]
    }
    form = visitor.get(reverse("new_offline")).content.decode()

    assert tables.keys() == RULESETS.keys() - NEEDS_A_SIGNAL
    for ruleset, html in tables.items():
        players = NAMES[: RULESETS[ruleset].seats]
        assert all(
            html.count(f'<option value="{seat}">{name}') for seat, name in enumerate(players)
        )
        assert 'action="/play/-/-/entry/"' in html
    assert form.count("Needs a signal to begin.") == len(NEEDS_A_SIGNAL)


@pytest.mark.parametrize("page", PAGES)
def test_pages_kept_for_any_account_are_the_same_and_sent_once(
    visitor, page, django_assert_num_queries
):
    with django_assert_num_queries(0):
        # Compression makes the tag a weak one.
        first = visitor.get(reverse(page), headers={"Accept-Encoding": "gzip"})
        known = visitor.get(reverse(page), headers={"If-None-Match": first["ETag"]})
    in_turkish = visitor.get(reverse(page), headers={"Accept-Language": "tr"})
    visitor.become("director", ClubFactory())
    signed_in = visitor.get(reverse(page))

    assert known.status_code == 304
    assert first["ETag"] == f"W/{signed_in['ETag']}"
    assert in_turkish["ETag"] != signed_in["ETag"]
    assert reverse("me") not in signed_in.content.decode()
