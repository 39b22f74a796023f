"""Claim a player by a link or a typed code."""

import re
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from tournaments.models import AuditEntry, Member, Player, User
from tournaments.models.clubs import Role
from tournaments.models.people import CODE_LENGTH, MOST_WRONG_CLAIMS, MOST_WRONG_TYPED
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.refusals import Refused
from tournaments.services.people.merging import forget_moved_account
from tournaments.services.people.players import lock_people, lock_player, subject_of
from tournaments.services.ratings.due import rate_accounts_again

KIND = AuditEntry.Kind.PLAYER

COUNTED_FOR = timedelta(hours=1)
"""Time after its first wrong code when an account's count starts again."""


class WrongClaimCode(Refused, code="wrong-code", status=422):
    sentence = _(
        "This code opens nothing. Look at each letter once more, or ask a director for a new one."
    )


class TooManyCodes(Refused, code="too-many-codes", status=429):
    sentence = _("The account has typed too many wrong codes: try again in an hour.")
    headers = {"Retry-After": str(int(COUNTED_FOR.total_seconds()))}


class AlreadyPlays(Refused, code="already-plays"):
    sentence = _("The account has a player in this club: a director can merge the two.")

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(data={"player": player.public_id})


def claim_player(public_id: str, secret: str, by: Actor, *, at: datetime) -> Player:
    """Link the player to the account, which becomes a member of the club.

    The link is used up. Idempotent for the account that has claimed it.

    Raises:
        AlreadyPlays: the account has another player in the club.
        Player.DoesNotExist: the link is invalid, or another account has used it.
    In each case nothing is written.
    """
    user = _account(by)
    with transaction.atomic():
        row = Player.objects.claimable_at(public_id, secret).first()
        if row is not None:
            lock_people(row.club_id)
        # Checked again under the lock: another account may have claimed it meanwhile.
        player = Player.objects.claimable_at(public_id, secret).select_related("club").first()
        if player is None:
            return _claimed_before(public_id, user)
        other = Player.objects.filter(club=player.club, account=user).first()
        if other is not None:
            raise AlreadyPlays(other)
        _give(player, user)
        after = {"account": f"account:{user.pk}"}
        note_change(player.club, Change(KIND, "claim", subject_of(player), after=after), by, at=at)
        _join(player, user, by, at)
    return player


def find_by_code(typed: str, by: Actor, *, at: datetime) -> Player:
    """Return the player of a typed code, to be claimed with the player's link.

    Wrong codes are counted for the player and for the account.

    Raises:
        WrongCode: the code is invalid, or has been tried too often.
        TooManyCodes: the account has tried too often; the code was not checked.
    """
    with transaction.atomic():
        # The account's row counts all tries; without its lock many at once would count as one.
        user = User.objects.select_for_update(no_key=True).get(pk=_account(by).pk)
        if _tried_too_often(user, at):
            raise TooManyCodes
        found = _look_up(typed)
        if found is None:
            _count_wrong(user, at)
    if found is None:
        raise WrongClaimCode
    return found


def new_claim(pk: int, by: Actor, *, at: datetime) -> Player:
    """Give a player a new link and code; earlier ones become invalid.

    Raises:
        Player.DoesNotExist: removed, or merged into another player.
    """
    with transaction.atomic():
        player = lock_player(pk)
        player.claim_generation += 1
        player.wrong_claims = 0
        player.save(update_fields=["claim_generation", "wrong_claims"])
        note_change(player.club, Change(KIND, "new code", subject_of(player)), by, at=at)
    return player


def unlink_account(pk: int, by: Actor, *, at: datetime) -> Player:
    """Unlink a player from their account, which stays a member of the club. Idempotent.

    Raises:
        Player.DoesNotExist: removed, or merged into another player.
    """
    with transaction.atomic():
        player = lock_player(pk)
        if player.account_id is None:
            return player
        before = {"account": f"account:{player.account_id}"}
        player.account = None
        player.claim_generation += 1
        player.wrong_claims = 0
        player.save(update_fields=["account", "claim_generation", "wrong_claims"])
        forget_moved_account(player)
        rate_accounts_again([player.pk])
        change = Change(KIND, "release", subject_of(player), before=before)
        note_change(player.club, change, by, at=at)
    return player


def _look_up(typed: str) -> Player | None:
    """Return the player of a valid code; count a wrong one."""
    # Ignore case, spaces and hyphens; the last letters are the secret, the rest names the row.
    letters = re.sub(r"[\s\-–—‐‑−_.]+", "", typed).casefold()
    row, code = letters[:-CODE_LENGTH], letters[-CODE_LENGTH:]
    # Longer numbers are no key of ours and overflow the database.
    if not (row.isascii() and row.isdigit() and len(row) < 15):
        return None
    claimable = Player.objects.present().filter(pk=int(row), account=None)
    player = claimable.first()
    if player is None:
        return None
    lock_people(player.club_id)
    player = claimable.first()
    if player is None or player.wrong_claims >= MOST_WRONG_CLAIMS:
        return None
    if constant_time_compare(code, player.claim_code.partition("-")[2].replace("-", "")):
        return player
    player.wrong_claims += 1
    player.save(update_fields=["wrong_claims"])
    return None


def _tried_too_often(user: User, at: datetime) -> bool:
    since = user.wrong_claims_since
    return _is_recent(since, at) and user.wrong_claims >= MOST_WRONG_TYPED


def _is_recent(since: datetime | None, at: datetime) -> bool:
    """Return whether a first wrong code still counts; not if the clock was set back since."""
    return since is not None and abs(at - since) < COUNTED_FOR


def _count_wrong(user: User, at: datetime) -> None:
    since = user.wrong_claims_since
    if not _is_recent(since, at):
        user.wrong_claims, user.wrong_claims_since = 0, at
    user.wrong_claims += 1
    user.save(update_fields=["wrong_claims", "wrong_claims_since"])


def _claimed_before(public_id: str, user: User) -> Player:
    """Return the player this account has claimed already, as after a lost answer."""
    if "\0" in public_id:
        raise Player.DoesNotExist
    return Player.objects.select_related("club").get(public_id=public_id, account=user)


def _give(player: Player, user: User) -> None:
    player.account = user
    player.claim_generation += 1
    player.wrong_claims = 0
    player.save(update_fields=["account", "claim_generation", "wrong_claims"])
    forget_moved_account(player)
    rate_accounts_again([player.pk])


def _join(player: Player, user: User, by: Actor, at: datetime) -> None:
    member = {"role": Role.MEMBER, "joined_at": at}
    _, joined = Member.objects.get_or_create(club=player.club, user=user, defaults=member)
    if joined:
        after = {"role": Role.MEMBER, "claim": subject_of(player)}
        change = Change(AuditEntry.Kind.ROLE, "join", f"account:{user.pk}", after=after)
        note_change(player.club, change, by, at=at)


def _account(by: Actor) -> User:
    if by.user is None:
        raise TypeError("only somebody with an account claims a player")
    return by.user
