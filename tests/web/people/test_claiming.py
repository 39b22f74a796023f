"""Coming to one's player by link or code, and what one decides about it then."""

import json

import pytest
from django.urls import reverse

from tests.club_factories import AccountFactory, ClubFactory, MemberFactory, PlayerFactory
from tests.club_factories import TableFactory as Table
from tests.deals import WHOLE_GAME
from tournaments.models import AuditLine, Game, Member, Player
from tournaments.models.people import MOST_WRONG_CLAIMS, MOST_WRONG_TYPED

pytestmark = pytest.mark.django_db

CODE = "/claim/"


@pytest.fixture
def player():
    return PlayerFactory(name="Şule Ak", club=ClubFactory(slug="moda", name="Moda King"))


@pytest.fixture
def stranger(client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def visitor(stranger):
    """Somebody signed in who belongs to no club."""
    stranger.user = AccountFactory()
    stranger.force_login(stranger.user)
    return stranger


def link(player):
    return reverse("claim", args=[player.public_id, player.claim_secret])


def home_of(player):
    return reverse("player", args=[player.club.slug, player.public_id])


# --- by link


def test_link_says_who_it_is_in_which_club_and_claims_when_told(visitor, player):
    asked = visitor.get(link(player))
    assert "Are you Şule Ak?" in asked.text
    assert "Moda King" in asked.text
    assert Player.objects.get().account is None

    answer = visitor.post(link(player), follow=True)

    assert answer.redirect_chain == [(home_of(player), 302)]
    assert "Welcome to Moda King." in answer.text
    assert Player.objects.get().account == visitor.user
    assert Member.objects.get(user=visitor.user).role == "member"


def test_stranger_is_sent_to_sign_in_and_comes_back(stranger, player):
    page = stranger.get(link(player))
    assert f"/accounts/login/?next={link(player)}" in page.text
    assert stranger.post(link(player)).url == f"/accounts/login/?next={link(player)}"
    assert Player.objects.get().account is None


def test_link_sent_twice_leads_to_the_player_both_times(visitor, player):
    path = link(player)
    for _ in range(2):
        assert visitor.post(path).url == home_of(player)
    assert visitor.get(path).url == home_of(player)
    assert AuditLine.objects.filter(action="claim").count() == 1


def test_used_link_opens_nothing_for_others(visitor, player):
    path = link(player)
    visitor.post(path)
    visitor.force_login(AccountFactory())

    assert [visitor.get(path).status_code, visitor.post(path).status_code] == [404, 404]


@pytest.mark.parametrize("path", ["/claim/nosuchone/xxxx/", "/claim/%00/x/"])
def test_link_of_nobody_is_not_there(visitor, path):
    assert visitor.get(path).status_code == 404
    assert visitor.post(path).status_code == 404


def test_account_with_a_player_in_the_club_is_told_which_one(visitor, player):
    PlayerFactory(club=player.club, name="Sule", account=visitor.user)

    asked, answer = visitor.get(link(player)), visitor.post(link(player))

    assert (asked.status_code, answer.status_code) == (200, 409)
    for page in (asked, answer):
        assert "Your account is Sule." in page.text
        assert "Yes, that is me" not in page.text
    assert Player.objects.get(pk=player.pk).account is None


# --- by code


def test_code_leads_to_where_the_link_does(visitor, player):
    answer = visitor.post(CODE, {"code": player.claim_code.upper().replace("-", " ")})
    assert answer.url == link(player)


def test_code_asks_a_stranger_to_sign_in(stranger):
    assert stranger.get(CODE).url == f"/accounts/login/?next={CODE}"


def test_wrong_code_is_refused_beside_what_was_typed(visitor, player):
    answer = visitor.post(CODE, {"code": f"{player.pk}-2222-2222"})

    assert answer.status_code == 422
    assert "This code opens nothing." in answer.text
    assert f'value="{player.pk}-2222-2222"' in answer.text
    assert Player.objects.get().wrong_claims == 1


def test_page_does_not_tell_why_a_code_opens_nothing(visitor, player):
    spoiled = PlayerFactory(wrong_claims=MOST_WRONG_CLAIMS)
    codes = [f"{player.pk}-2222-2222", "987654-2222-2222", spoiled.claim_code]

    texts = {
        visitor.post(CODE, {"code": code})
        .text.replace(code, "")
        .split("csrf")[-1]
        .split('">', 1)[1]
        for code in codes
    }

    assert len(texts) == 1


def test_account_that_tries_too_often_waits(visitor, player):
    for _ in range(MOST_WRONG_TYPED):
        assert visitor.post(CODE, {"code": "987654-2222-2222"}).status_code == 422

    answer = visitor.post(CODE, {"code": player.claim_code})

    assert answer.status_code == 429
    assert "wait an hour" in answer.text


@pytest.mark.parametrize("typed", ["", "\0", "x" * 61])
def test_what_is_no_code_is_refused(visitor, typed):
    assert visitor.post(CODE, {"code": typed}).status_code == 422


# --- one's own player


@pytest.fixture
def mine(visitor, player):
    """The player of the visitor, with a game."""
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
    assert set(AuditLine.objects.filter(action="initials").values_list("user", flat=True)) == {
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


OWN = [("my_initials", "post"), ("my_data", "post"), ("my_release", "post"),
       ("my_removal", "get"), ("my_removal", "post")]  # fmt: skip


@pytest.mark.parametrize(("name", "method"), OWN)
def test_another_decides_nothing_about_a_player(visitor, mine, name, method):
    """Not even a director, who has pages of their own for it."""
    visitor.force_login(MemberFactory(club=mine.club, role="director").user)

    assert getattr(visitor, method)(own(name, mine)).status_code == 404


@pytest.mark.parametrize(("name", "method"), OWN)
def test_stranger_is_asked_to_sign_in(visitor, mine, name, method):
    visitor.logout()
    answer = getattr(visitor, method)(own(name, mine))
    assert answer.url.startswith("/accounts/login/?next=/me/players/")


def test_followers_see_another_name_without_a_write(visitor, mine):
    row = Game.objects.get()
    path = reverse("follow", args=[row.public_id, row.secret("follow")])
    before = visitor.get(path)
    unchanged = visitor.get(path, headers={"If-None-Match": before["ETag"]})

    visitor.post(own("my_initials", mine), {"initials": "yes"})

    after = visitor.get(path, headers={"If-None-Match": before["ETag"]})
    assert (unchanged.status_code, after.status_code) == (304, 200)
    assert "Ş. A." in after.text
    assert "Şule Ak" not in after.text
