from datetime import timedelta

import pytest
from django.utils import timezone

from tests.api.conftest import faults, refused
from tests.club_factories import AccountFactory, MemberFactory, PlayerFactory
from tournaments.models import Member, PersonalToken, Player, Scope
from tournaments.models.people import MOST_WRONG_TYPED

pytestmark = pytest.mark.django_db


@pytest.fixture
def user():
    return AccountFactory(first_name="Ayşe")


@pytest.fixture
def mine(program, user):
    return program.as_(user)


def test_account_is_shown_its_clubs_players_and_what_the_token_may(program, club, user):
    MemberFactory(club=club, user=user, role="director")
    player = PlayerFactory(club=club, account=user, name="Ayşe Yılmaz", initials=True)
    told = program.as_(user, Scope.READ, Scope.MANAGE).get("me/").json()
    assert (told["id"], told["name"], told["email"]) == (user.pk, "Ayşe", user.email)
    [own] = told["clubs"]
    assert (own["slug"], own["role"], own["month_by_mail"]) == ("moda", "director", True)
    [own] = told["players"]
    assert (own["id"], own["club"]["slug"]) == (player.public_id, "moda")
    assert (own["name"], own["shown_name"], own["initials"]) == ("Ayşe Yılmaz", "A. Y.", True)
    assert (told["token"]["name"], told["token"]["scopes"]) == ("a test", ["read", "manage"])


def test_player_is_claimed_by_link_or_code_once_and_no_other_in_the_club(program, mine, user, club):
    row, other = PlayerFactory.create_batch(2, club=club)
    link = f"claim/{row.public_id}/{row.claim_secret}/"
    assert program.get(link).json()["name"] == row.name
    # The second time is as after a lost answer.
    for _twice in range(2):
        claimed = mine.post(link).json()
        assert (claimed["id"], claimed["club"]["slug"]) == (row.public_id, "moda")
    assert Member.objects.get(user=user).club == club

    found = mine.post("claim/", {"code": other.claim_code}).json()
    assert (found["id"], found["own"]) == (other.public_id, row.public_id)
    denied = mine.post(f"claim/{found['id']}/{found['secret']}/")
    assert refused(denied) == (409, "already-plays")
    assert denied.json()["player"] == row.public_id


def test_wrong_codes_are_counted_with_a_key_too_until_no_more_are_looked_at(mine, user, club):
    row = PlayerFactory(club=club)
    wrong = f"{row.pk}-2222-2222"
    denied = mine.post("claim/", {"code": wrong}, Idempotency_Key="abcdefgh-1")
    assert refused(denied) == (422, "wrong-code")
    user.refresh_from_db()
    row.refresh_from_db()
    assert (user.wrong_claims, row.wrong_claims) == (1, 1)

    type(user).objects.filter(pk=user.pk).update(wrong_claims=MOST_WRONG_TYPED)
    often = mine.post("claim/", {"code": row.claim_code})
    assert refused(often) == (429, "too-many-codes")
    assert often["Retry-After"] == "3600"


def test_own_players_are_shown_by_initials_exported_released_and_removed(mine, user, club):
    row = PlayerFactory(club=club, account=user, name="Ayşe Yılmaz")
    path = f"me/players/{row.public_id}/"
    assert mine.patch(path, {"initials": True}).json()["shown_name"] == "A. Y."
    assert mine.post(f"{path}data/").json()["player"]["name"] == "Ayşe Yılmaz"
    assert mine.post(f"{path}release/").status_code == 204
    row = PlayerFactory(club=club, account=user)
    assert mine.delete(f"me/players/{row.public_id}/").status_code == 204
    assert Player.objects.get(pk=row.pk).name == ""


def test_token_is_made_shown_once_and_revoked(program, user):
    manager = program.as_(user, "read", "manage")
    made = manager.post("tokens/", {"name": "A bot", "scopes": ["read"], "days": 30})

    assert (made.status_code, made["Cache-Control"]) == (201, "no-store")
    text = made.json().pop("token")
    one = made["Location"]
    shown = {name: value for name, value in made.json().items() if name != "token"}
    assert manager.get(one).json() == shown
    assert text.startswith(shown["begins"])
    assert shown["name"] in [each["name"] for each in manager.get("tokens/").json()["results"]]
    bot = program.with_token(text)
    me = bot.get("me/").json()
    assert (me["id"], me["token"]["scopes"]) == (user.pk, ["read"])
    assert bot.get("tokens/").json()["scope"] == "manage"
    assert manager.delete(one).status_code == 204
    assert bot.get("me/").status_code == 401


def test_token_makes_none_that_may_do_more_or_lasts_longer(program, user):
    manager = program.as_(user, "read", "manage")
    end = timezone.now() + timedelta(days=10)
    PersonalToken.objects.update(expiry=end)

    denied = manager.post("tokens/", {"name": "A", "scopes": ["read", "direct"], "days": 11})

    problems = faults(denied)
    assert problems == [("beyond-own-scopes", "scopes"), ("beyond-own-time", "days")]
    assert PersonalToken.objects.count() == 1
    made = manager.post("tokens/", {"name": "A", "scopes": ["manage", "read"]})
    assert made.json()["scopes"] == ["read", "manage"]
    lasts = PersonalToken.objects.get(public_id=made.json()["id"]).expiry - end
    assert abs(lasts) < timedelta(seconds=5)
