from datetime import timedelta

import pytest

from tests.club_factories import AccountFactory, MemberFactory, PlayerFactory
from tests.factories import EVENING
from tournaments.models import AuditEntry, Member, Player
from tournaments.models.people import MOST_WRONG_CLAIMS, MOST_WRONG_TYPED
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.people.changes import remove_player
from tournaments.services.people.merging import (
    AlreadyPlays,
    TooManyCodes,
    WrongClaimCode,
    claim_player,
    find_by_code,
    merge_players,
    new_claim,
    unlink_account,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def player():
    return PlayerFactory(name="Işıl")


@pytest.fixture
def me():
    return Actor(AccountFactory(), address="192.0.2.7")


def claim(player, by, at=EVENING):
    return claim_player(player.public_id, player.claim_secret, by, at=at)


def look(code, by, at=EVENING):
    return find_by_code(code, by, at=at)


def wrong(player):
    """A code of the right form for a player, and not theirs."""
    return f"{player.pk}-2222-2222"


def test_claimed_player_has_the_account_which_is_a_member(player, me):
    claimed = claim(player, me)

    assert (claimed, claimed.account) == (player, me.user)
    member = Member.objects.get(club=player.club, user=me.user)
    assert (member.role, member.joined_at) == ("member", EVENING)
    lines = AuditEntry.objects.order_by("kind").values_list("kind", "action", "subject", "after")
    account, subject = f"account:{me.user.pk}", f"player:{player.pk}"
    assert list(lines) == [
        ("player", "claim", subject, {"account": account}),
        ("role", "join", account, {"role": "member", "claim": subject}),
    ]
    assert set(AuditEntry.objects.values_list("user", "address")) == {(me.user.pk, "192.0.2.7")}


def test_director_who_claims_stays_director(player, me):
    MemberFactory(club=player.club, user=me.user, role="director")

    claim(player, me)

    assert Member.objects.get(user=me.user).role == "director"
    assert AuditEntry.objects.get().kind == "player"


def test_link_is_used_by_one_account(player, me):
    for _tap in range(2):
        assert claim(player, me) == player

    with pytest.raises(Player.DoesNotExist):
        claim(player, Actor(AccountFactory()))
    assert Player.objects.get().account == me.user
    assert AuditEntry.objects.filter(action="claim").count() == 1


def test_account_with_a_player_in_the_club_is_told_which(player, me):
    mine = PlayerFactory(club=player.club, account=me.user)

    with pytest.raises(AlreadyPlays) as told:
        claim(player, me)

    assert told.value.player == mine
    assert Player.objects.get(pk=player.pk).account is None
    assert not Member.objects.exists()


@pytest.mark.parametrize(
    "typed",
    [
        lambda code: code,
        lambda code: code.upper(),
        lambda code: code.replace("-", ""),
        lambda code: code.replace("-", " "),
        lambda code: f"  {code.replace('-', ' – ')} \n",
        lambda code: " ".join(code.replace("-", "")),
    ],
)
def test_code_is_typed_as_one_likes(player, me, typed):
    assert look(typed(player.claim_code), me) == player


@pytest.mark.parametrize(
    "typed",
    [
        *("", "-", "abcd-efgh", "x-2222-2222", "٣-2222-2222", "\0", "1-ğğğğ-ğğğğ", "²22222222"),
        "9" * 40 + "22222222",
    ],
)
def test_what_is_no_code_is_a_wrong_one(player, me, typed):
    with pytest.raises(WrongClaimCode):
        look(typed, me)
    me.user.refresh_from_db()
    assert me.user.wrong_claims == 1


def test_wrong_codes_spoil_the_right_one_until_there_is_a_new_one(player):
    Player.objects.update(wrong_claims=MOST_WRONG_CLAIMS - 2)
    with pytest.raises(WrongClaimCode):
        look(wrong(player), Actor(AccountFactory()))
    assert look(player.claim_code, Actor(AccountFactory())) == player
    with pytest.raises(WrongClaimCode):
        look(wrong(player), Actor(AccountFactory()))

    with pytest.raises(WrongClaimCode):
        look(player.claim_code, Actor(AccountFactory()))
    player = new_claim(player.pk, NOBODY, at=EVENING)

    assert look(player.claim_code, Actor(AccountFactory())) == player


def test_same_answer_whether_wrong_unknown_or_spoiled(player):
    spoiled = PlayerFactory(wrong_claims=MOST_WRONG_CLAIMS)
    claimed = PlayerFactory(account=AccountFactory())
    codes = [wrong(player), "999999-2222-2222", spoiled.claim_code, claimed.claim_code]

    for code in codes:
        with pytest.raises(WrongClaimCode):
            look(code, Actor(AccountFactory()))


def test_account_cannot_try_all_players(me):
    players = [PlayerFactory() for _ in range(MOST_WRONG_TYPED)]
    for player in players:
        with pytest.raises(WrongClaimCode):
            look(wrong(player), me)

    with pytest.raises(TooManyCodes):
        look(players[0].claim_code, me, at=EVENING + timedelta(minutes=59))
    assert look(players[0].claim_code, me, at=EVENING + timedelta(hours=1)) == players[0]


def test_new_code_makes_the_old_link_and_code_worthless(player, me):
    old, secret = player.claim_code, player.claim_secret

    new_claim(player.pk, me, at=EVENING)

    with pytest.raises(WrongClaimCode):
        look(old, me)
    with pytest.raises(Player.DoesNotExist):
        claim_player(player.public_id, secret, me, at=EVENING)
    assert AuditEntry.objects.get().action == "new code"


def test_untied_player_can_be_claimed_anew_and_not_with_the_old_link(player, me):
    old = player.claim_secret
    claim(player, me)

    for _tap in range(2):
        free = unlink_account(player.pk, me, at=EVENING)

    assert free.account is None
    assert Member.objects.filter(user=me.user).exists()
    with pytest.raises(Player.DoesNotExist):
        claim_player(player.public_id, old, me, at=EVENING)
    assert claim(free, Actor(AccountFactory())) == player
    line = AuditEntry.objects.get(action="release")
    assert line.before == {"account": f"account:{me.user.pk}"}


def test_merged_and_removed_players_cannot_be_claimed(player, me):
    other = PlayerFactory(club=player.club)
    cards = [(row, row.claim_secret, row.claim_code) for row in (player, other)]
    merge_players(other.pk, player.pk, NOBODY, at=EVENING)
    remove_player(other.pk, NOBODY, at=EVENING)

    for row, secret, code in cards:
        with pytest.raises(Player.DoesNotExist):
            claim_player(row.public_id, secret, me, at=EVENING)
        with pytest.raises(WrongClaimCode):
            look(code, me)
