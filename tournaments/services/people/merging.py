"""Merge players, and let accounts claim them."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.crypto import constant_time_compare
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.models import (
    AuditEntry,
    Entrant,
    Member,
    Merge,
    Player,
    Seat,
    Substitute,
    Tournament,
    User,
)
from tournaments.models.clubs import Role
from tournaments.models.people import CODE_LENGTH, MOST_WRONG_CLAIMS, MOST_WRONG_TYPED
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.writes import Refused
from tournaments.services.people.players import (
    let_names_follow,
    lock_people,
    lock_player,
    subject_of,
)
from tournaments.services.ratings.computing import rate_accounts_again, rate_players_again

KIND = AuditEntry.Kind.PLAYER


class Unlike(StrEnum):
    """Reasons why two players cannot be one person."""

    SAME = "same"
    CLUB = "club"
    GONE = "gone"
    ACCOUNT = "account"
    TABLE = "table"
    TOURNAMENT = "tournament"


WHY_NOT: Mapping[Unlike, str | Promise] = {
    Unlike.SAME: _("This is one and the same player."),
    Unlike.CLUB: _("They are players of two clubs."),
    Unlike.GONE: _("One of the two was merged or removed meanwhile."),
    Unlike.ACCOUNT: _("Each has an account of its own. Untie one of them first."),
    Unlike.TABLE: _("They have sat at one table: they are two people."),
    Unlike.TOURNAMENT: _("They took part in one tournament: they are two people."),
}
"""The reasons as sentences."""


class NotOnePerson(Refused):
    """The players cannot be merged; `why` gives the reason."""

    code = "not-one-person"

    def __init__(self, why: Unlike) -> None:
        self.why = why
        super().__init__(data={"why": why.value}, sentence=WHY_NOT[why])


class MergedFurther(Refused, code="merged-further"):
    sentence = _("The player was merged into another one: undo that first.")


class StillPlaying(Refused, code="still-playing"):
    sentence = _("%(name)s plays in a round that is not closed: undo the merge after it.")


def merge_players(kept: int, gone: int, by: Actor, *, at: datetime) -> Merge:
    """Move games, tournaments and account of player `gone` to `kept`, who keeps name and row.

    Raises: NotOnePerson: they cannot be one person; nothing is written.
    """
    with transaction.atomic():
        club = lock_people(Player.objects.values_list("club_id", flat=True).get(pk=kept))
        players = Player.objects.select_related("club").in_bulk([kept, gone])
        problem = why_not_one(players[kept], players[gone])
        if problem is not None:
            raise NotOnePerson(problem)
        rate_players_again(club.pk, [gone])
        if players[gone].account_id is not None:
            rate_accounts_again([kept])
        merge = _merge(players[kept], players[gone], at)
        note_change(club, _change("merge", merge), by, at=at)
    return merge


def why_not_one(kept: Player, gone: Player) -> Unlike | None:
    """Return the reason against merging two players, as they are now; None if there is none."""
    if kept.pk == gone.pk:
        return Unlike.SAME
    if kept.club_id != gone.club_id:
        return Unlike.CLUB
    if any(player.merged_into_id or player.removed_at for player in (kept, gone)):
        return Unlike.GONE
    if kept.account_id and gone.account_id:
        return Unlike.ACCOUNT
    return _why_two(kept, gone)


def _why_two(kept: Player, gone: Player) -> Unlike | None:
    """Return the proof that two players are two people: both were in one place."""
    if gone.seats.filter(game__in=kept.seats.values("game")).exists():
        return Unlike.TABLE
    if _tournaments_of(gone).filter(pk__in=_tournaments_of(kept).values("pk")).exists():
        return Unlike.TOURNAMENT
    return None


def _tournaments_of(player: Player) -> QuerySet[Tournament]:
    """Return the tournaments of a player: alone, in a pair, or as a substitute."""
    fields = ("entrants__player", "entrants__partner", "entrants__substitutes__player")
    ways = [Tournament.objects.filter(**{field: player}).values("pk") for field in fields]
    return Tournament.objects.filter(Q(pk__in=ways[0]) | Q(pk__in=ways[1]) | Q(pk__in=ways[2]))


def undo_merge(pk: int, by: Actor, *, at: datetime) -> Merge:
    """Undo a merge; games `kept` has played since stay with them. Idempotent.

    Raises:
        MergedFurther: the kept player was merged into another one; undo that merge first.
        Player.DoesNotExist: the kept player was removed, and the other name too.
        StillPlaying: the entrant to be given back has been seated since, and plays.
    """
    with transaction.atomic():
        lock_people(Merge.objects.values_list("kept__club_id", flat=True).get(pk=pk))
        merge = Merge.objects.select_related("kept__club", "gone").get(pk=pk)
        if merge.undone_at is not None:
            return merge
        if merge.kept.merged_into_id is not None:
            further = merge.kept.merged_away.get(undone_at=None)
            raise MergedFurther(data={"merge": further.pk})
        if merge.kept.removed_at is not None:
            raise Player.DoesNotExist
        if _sits_since(merge):
            raise StillPlaying({"name": merge.kept.name})
        _part(merge, at)
        # The kept player may have been a house player in a game by the other's entry.
        whose = [merge.gone_id, *([merge.kept_id] if merge.entrants else [])]
        rate_players_again(merge.kept.club_id, whose)
        if merge.account_moved:
            rate_accounts_again([merge.kept_id, merge.gone_id])
        note_change(merge.kept.club, _change("part", merge), by, at=at)
    return merge


def _merge(kept: Player, gone: Player, at: datetime) -> Merge:
    places = {
        "player": Entrant.objects.filter(player=gone),
        "partner": Entrant.objects.filter(partner=gone),
        "substitute": Substitute.objects.filter(player=gone),
    }
    entrants = {name: sorted(rows.values_list("pk", flat=True)) for name, rows in places.items()}
    _put_entrants(entrants, gone, kept)
    seats = list(gone.seats.order_by("pk").values_list("pk", flat=True))
    merge = Merge.objects.create(
        kept=kept,
        gone=gone,
        seats=seats,
        entrants={name: pks for name, pks in entrants.items() if pks},
        account_moved=gone.account_id is not None,
        initials_taken=gone.initials and not kept.initials,
        at=at,
    )
    account, gone.account, gone.merged_into = gone.account, None, kept
    # The card of a merged name must not give access to another player's games.
    gone.claim_generation += 1
    gone.save(update_fields=["account", "merged_into", "claim_generation"])
    called = {kept.name, kept.shown_name, gone.name, gone.shown_name}
    if account is not None:
        forget_moved_account(kept)
        Merge.objects.filter(pk=merge.pk).update(account_moved=True)
        kept.account = account
    # A wish for initials holds under either name.
    kept.initials = kept.initials or gone.initials
    kept.save(update_fields=["account", "initials"])
    gone.seats.update(player=kept)
    moved = kept.seats.all() if merge.initials_taken else kept.seats.filter(pk__in=seats)
    let_names_follow(moved, called)
    return merge


def _put_entrants(moved: Mapping[str, Sequence[int]], old: Player, new: Player) -> None:
    """Replace one player by another in the rows, by field; deleted rows are skipped."""
    for field in ("player", "partner"):
        rows = Entrant.objects.filter(pk__in=moved.get(field, ()))
        # A substitute for them stays one, whichever player row they have.
        Substitute.objects.filter(entrant__in=rows, instead_of=old).update(instead_of=new)
        rows.filter(**{field: old}).update(**{field: new})
    Substitute.objects.filter(pk__in=moved.get("substitute", ()), player=old).update(player=new)


def _sits_since(merge: Merge) -> bool:
    """Return whether a seat taken since, which stays, would be separated from its entrant."""
    moved = merge.entrants
    stood_in = Substitute.objects.filter(pk__in=moved.get("substitute", ()))
    entrants = {*moved.get("player", ()), *moved.get("partner", ())}
    entrants.update(stood_in.values_list("entrant_id", flat=True))
    seats = merge.kept.seats.filter(
        game__table__round__closed_at=None, game__table__sittings__entrant__in=entrants
    )
    return not set(merge.seats).issuperset(seats.values_list("pk", flat=True))


def _part(merge: Merge, at: datetime) -> None:
    kept, gone = merge.kept, merge.gone
    called = {kept.name, kept.shown_name}
    gone.merged_into = None
    if merge.account_moved:
        account, kept.account = kept.account, None
        kept.save(update_fields=["account"])
        gone.account = account
    if merge.initials_taken:
        kept.initials = False
        kept.save(update_fields=["initials"])
    gone.save(update_fields=["account", "merged_into"])
    merge.undone_at = at
    merge.save(update_fields=["undone_at"])
    _put_entrants(merge.entrants, kept, gone)
    back = set(merge.seats)
    pks = [pk for pk in kept.seats.values_list("pk", flat=True) if pk in back]
    for first in range(0, len(pks), 400):
        Seat.objects.filter(pk__in=pks[first : first + 400]).update(player=gone)
    let_names_follow(gone.seats.all(), called)
    if merge.initials_taken:
        let_names_follow(kept.seats.all(), called)


def forget_moved_account(player: Player) -> None:
    """Note for later undoing that a player's account did not come from a merge."""
    player.merges.filter(account_moved=True).update(account_moved=False)


def _change(action: str, merge: Merge) -> Change:
    # Without names, so that none is left when one of the players is removed.
    what = {"other": subject_of(merge.gone), "seats": len(merge.seats)}
    return Change(KIND, action, subject_of(merge.kept), after=what)


CLAIMS_KIND = AuditEntry.Kind.PLAYER

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
    """
    user = by.account
    with transaction.atomic():
        row = Player.objects.claimable_at(public_id, secret).first()
        if row is not None:
            lock_people(row.club_id)
        # Checked again under the lock: another account may have claimed it meanwhile.
        player = Player.objects.claimable_at(public_id, secret).select_related("club").first()
        if player is None:
            if "\0" in public_id:
                raise Player.DoesNotExist
            return Player.objects.select_related("club").get(public_id=public_id, account=user)
        other = Player.objects.filter(club=player.club, account=user).first()
        if other is not None:
            raise AlreadyPlays(other)
        player.account = user
        player.claim_generation += 1
        player.wrong_claims = 0
        player.save(update_fields=["account", "claim_generation", "wrong_claims"])
        forget_moved_account(player)
        rate_accounts_again([player.pk])
        after = {"account": f"account:{user.pk}"}
        note_change(
            player.club, Change(CLAIMS_KIND, "claim", subject_of(player), after=after), by, at=at
        )
        _join(player, user, by, at)
    return player


def find_by_code(typed: str, by: Actor, *, at: datetime) -> Player:
    """Return the player of a typed code, to be claimed with the player's link.

    Wrong codes are counted for the player and for the account.

    Raises:
        WrongClaimCode: the code is invalid, or has been tried too often.
        TooManyCodes: the account has tried too often; the code was not checked.
    """
    with transaction.atomic():
        # The account's row counts all tries; without its lock many at once would count as one.
        user = User.objects.select_for_update(no_key=True).get(pk=by.account.pk)
        since = user.wrong_claims_since
        # An older count no longer holds, nor one from before the clock was set back.
        counts = since is not None and abs(at - since) < COUNTED_FOR
        if counts and user.wrong_claims >= MOST_WRONG_TYPED:
            raise TooManyCodes
        found = _look_up(typed)
        if found is None:
            if not counts:
                user.wrong_claims, user.wrong_claims_since = 0, at
            user.wrong_claims += 1
            user.save(update_fields=["wrong_claims", "wrong_claims_since"])
    if found is None:
        raise WrongClaimCode
    return found


def new_claim(pk: int, by: Actor, *, at: datetime) -> Player:
    """Give a player a new link and code; earlier ones become invalid.

    Raises: Player.DoesNotExist: removed, or merged into another player.
    """
    with transaction.atomic():
        player = lock_player(pk)
        player.claim_generation += 1
        player.wrong_claims = 0
        player.save(update_fields=["claim_generation", "wrong_claims"])
        note_change(player.club, Change(CLAIMS_KIND, "new code", subject_of(player)), by, at=at)
    return player


def unlink_account(pk: int, by: Actor, *, at: datetime) -> Player:
    """Unlink a player from their account, which stays a member of the club. Idempotent.

    Raises: Player.DoesNotExist: removed, or merged into another player.
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
        change = Change(CLAIMS_KIND, "release", subject_of(player), before=before)
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


def _join(player: Player, user: User, by: Actor, at: datetime) -> None:
    member = {"role": Role.MEMBER, "joined_at": at}
    _, joined = Member.objects.get_or_create(club=player.club, user=user, defaults=member)
    if joined:
        after = {"role": Role.MEMBER, "claim": subject_of(player)}
        change = Change(AuditEntry.Kind.ROLE, "join", f"account:{user.pk}", after=after)
        note_change(player.club, change, by, at=at)
