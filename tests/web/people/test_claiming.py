import json

import pytest
from django.urls import reverse

from tests.club_factories import AccountFactory, PlayerFactory
from tests.club_factories import TableFactory as Table
from tests.deals import WHOLE_GAME
from tournaments.models import AuditEntry, Game, Member, Player
from tournaments.models.people import MOST_WRONG_TYPED

CODE = "/claim/"


@pytest.fixture
def player(club):
    return PlayerFactory(name="Şule Ak", club=club)


@pytest.fixture
def visitor(visitor):
    visitor.user = AccountFactory()
    visitor.force_login(visitor.user)
    return visitor


def link(player):
    return reverse("claim", args=[player.public_id, player.claim_secret])


def home_of(player):
    return reverse("player", args=[player.club.slug, player.public_id])


def test_link_says_who_it_is_in_which_club_and_claims_after_a_tap(visitor, player):
    asked = visitor.get(link(player))
    assert "Are you Şule Ak?" in asked.text
    assert "Moda King" in asked.text
    assert Player.objects.get().account is None

    answer = visitor.post(link(player), follow=True)

    assert answer.redirect_chain == [(home_of(player), 302)]
    assert "Welcome to Moda King." in answer.text
    assert Player.objects.get().account == visitor.user
    assert Member.objects.get(user=visitor.user).role == "member"


def test_stranger_is_sent_to_sign_in_and_comes_back(client, player):
    page = client.get(link(player))
    assert f"/accounts/login/?next={link(player)}" in page.text
    assert client.post(link(player)).url == f"/accounts/login/?next={link(player)}"
    assert Player.objects.get().account is None


def test_code_leads_to_where_the_link_does(visitor, player):
    answer = visitor.post(CODE, {"code": player.claim_code.upper().replace("-", " ")})
    assert answer.url == link(player)


def test_wrong_code_is_refused_beside_what_was_typed(visitor, player):
    answer = visitor.post(CODE, {"code": f"{player.pk}-2222-2222"})

    assert answer.status_code == 422
    assert "This code opens nothing." in answer.text
    assert f'value="{player.pk}-2222-2222"' in answer.text
    assert Player.objects.get().wrong_claims == 1


def test_account_that_tries_too_often_waits(visitor, player):
    for _ in range(MOST_WRONG_TYPED):
        assert visitor.post(CODE, {"code": "987654-2222-2222"}).status_code == 422

    answer = visitor.post(CODE, {"code": player.claim_code})

    assert answer.status_code == 429
    assert "wait an hour" in answer.text


@pytest.fixture
def mine(visitor, player):
    Table(round__event__club=player.club, players=[player.name, "B", "C", "D"], entries=WHOLE_GAME)
    visitor.post(link(player))
    player.refresh_from_db()
    return player


def own(name, player):
    return reverse(name, args=[player.public_id])


def test_player_asks_for_initials_and_for_the_name_again(visitor, mine):
    for wish, shown in (("yes", "Ş. A."), ("no", "Şule Ak")):
        assert visitor.post(own("my_initials", mine), {"initials": wish}).url == "/me/"
        assert Game.objects.get().players[0] == shown
    assert set(AuditEntry.objects.filter(action="initials").values_list("user", flat=True)) == {
        visitor.user.pk
    }


def test_player_takes_the_data_along(visitor, mine):
    answer = visitor.post(own("my_data", mine))

    document = json.loads(b"".join(answer.streaming_content))
    assert (document["player"]["name"], len(document["games"])) == ("Şule Ak", 1)


def test_player_asks_to_be_removed(visitor, mine):
    assert "Remove yourself from Moda King?" in visitor.get(own("my_removal", mine)).text
    assert Player.objects.get(pk=mine.pk).name == "Şule Ak"

    assert visitor.post(own("my_removal", mine)).url == "/me/"

    assert Game.objects.get().players[0] == "№ 1"
    assert Member.objects.filter(user=visitor.user).exists()


def test_player_lets_go_of_what_was_claimed_by_mistake(visitor, mine):
    assert visitor.post(own("my_release", mine)).url == "/me/"
    assert Player.objects.get(pk=mine.pk).account is None
