"""Two players who turn out to be one person: merged, and parted again where they were not."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournaments.models import AuditLine, Entrant, Merge, Player, Seat, Substitute, Tournament
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.people.head_names import let_names_follow
from tournaments.services.people.players import lock_people, subject_of
from tournaments.services.ratings.due import rate_accounts_again, rate_players_again

KIND = AuditLine.Kind.PLAYER


class Unlike(StrEnum):
    """Why two players cannot be one."""

    SAME = "same"
    CLUB = "club"
    GONE = "gone"
    ACCOUNT = "account"
    TABLE = "table"
    TOURNAMENT = "tournament"


WHY_NOT: Mapping[Unlike, str | Promise] = {
    Unlike.SAME: gettext_lazy("This is one and the same player."),
    Unlike.CLUB: gettext_lazy("They are players of two clubs."),
    Unlike.GONE: gettext_lazy("One of the two was merged or removed meanwhile."),
    Unlike.ACCOUNT: gettext_lazy("Each has an account of its own. Untie one of them first."),
    Unlike.TABLE: gettext_lazy("They have sat at one table: they are two people."),
    Unlike.TOURNAMENT: gettext_lazy("They took part in one tournament: they are two people."),
}
"""The same in words."""


class NotOnePerson(Exception):
    """Two players are not merged; `why` says what speaks against it."""

    def __init__(self, why: Unlike) -> None:
        self.why = why
        super().__init__(why)


class MergedFurther(Exception):
    """A merge is not undone before the later one, `merge`, of the player who was kept."""

    def __init__(self, merge: Merge) -> None:
        self.merge = merge
        super().__init__(str(merge))


class StillPlaying(Exception):
    """A merge is not undone while `player` sits for an entrant in a round that is not closed."""

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(f"{player} sits in a round that is not closed")


def merge_players(kept: int, gone: int, by: Actor, *, at: datetime) -> Merge:
    """Give games, tournaments and account of the player `gone` to `kept`, who keeps name and row.

    Raises:
        NotOnePerson: they cannot be one; nothing is written.
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
    """What speaks against merging two players, as they are now."""
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
    """What shows that two players are two people: both were in one place."""
    if gone.seats.filter(game__in=kept.seats.values("game")).exists():
        return Unlike.TABLE
    if _tournaments_of(gone).filter(pk__in=_tournaments_of(kept).values("pk")).exists():
        return Unlike.TOURNAMENT
    return None


def _tournaments_of(player: Player) -> QuerySet[Tournament]:
    """Those in which a player takes part: alone, in a pair, or in another's place."""
    fields = ("entrants__player", "entrants__partner", "entrants__substitutes__player")
    ways = [Tournament.objects.filter(**{field: player}).values("pk") for field in fields]
    return Tournament.objects.filter(Q(pk__in=ways[0]) | Q(pk__in=ways[1]) | Q(pk__in=ways[2]))


def undo_merge(pk: int, by: Actor, *, at: datetime) -> Merge:
    """Part two merged players again; what `kept` has played since stays. Twice is no error.

    Raises:
        MergedFurther: the kept player was merged into another one; that is undone first.
        Player.DoesNotExist: the kept player was removed, and the other name with it.
        StillPlaying: the entrant who would be given back has sat down since, and plays.
    """
    with transaction.atomic():
        lock_people(Merge.objects.values_list("kept__club_id", flat=True).get(pk=pk))
        merge = Merge.objects.select_related("kept__club", "gone").get(pk=pk)
        if merge.undone_at is not None:
            return merge
        if merge.kept.merged_into_id is not None:
            raise MergedFurther(merge.kept.merged_away.get(undone_at=None))
        if merge.kept.removed_at is not None:
            raise Player.DoesNotExist
        if _sits_since(merge):
            raise StillPlaying(merge.kept)
        _part(merge, at)
        _rate_again(merge)
        note_change(merge.kept.club, _change("part", merge), by, at=at)
    return merge


def _merge(kept: Player, gone: Player, at: datetime) -> Merge:
    seats = list(gone.seats.order_by("pk").values_list("pk", flat=True))
    merge = Merge.objects.create(
        kept=kept,
        gone=gone,
        seats=seats,
        entrants=_move_entrants(kept, gone),
        account_moved=gone.account_id is not None,
        initials_taken=gone.initials and not kept.initials,
        at=at,
    )
    account, gone.account, gone.merged_into = gone.account, None, kept
    # A card of a name that is no more must not give away the games of another one.
    gone.claim_generation += 1
    gone.save(update_fields=["account", "merged_into", "claim_generation"])
    called = {kept.name, kept.shown_name, gone.name, gone.shown_name}
    if account is not None:
        forget_moved_account(kept)
        Merge.objects.filter(pk=merge.pk).update(account_moved=True)
        kept.account = account
    # Whoever asked for initials is shown by them, under whichever name.
    kept.initials = kept.initials or gone.initials
    kept.save(update_fields=["account", "initials"])
    gone.seats.update(player=kept)
    moved = kept.seats.all() if merge.initials_taken else kept.seats.filter(pk__in=seats)
    let_names_follow(moved, called)
    return merge


def _move_entrants(kept: Player, gone: Player) -> dict[str, list[int]]:
    """Let `kept` take part in tournaments wherever `gone` does; the keys of the rows, by field."""
    places = {
        "player": Entrant.objects.filter(player=gone),
        "partner": Entrant.objects.filter(partner=gone),
        "substitute": Substitute.objects.filter(player=gone),
    }
    moved = {name: sorted(rows.values_list("pk", flat=True)) for name, rows in places.items()}
    _put_entrants(moved, gone, kept)
    return {name: pks for name, pks in moved.items() if pks}


def _rate_again(merge: Merge) -> None:
    """Have two players rated again who are parted."""
    # Whether the kept player was a house player in a game may depend on whose entrant it was.
    whose = [merge.gone_id, *([merge.kept_id] if merge.entrants else [])]
    rate_players_again(merge.kept.club_id, whose)
    if merge.account_moved:
        rate_accounts_again([merge.kept_id, merge.gone_id])


def _put_entrants(moved: Mapping[str, Sequence[int]], old: Player, new: Player) -> None:
    """Put one player for another in rows by the field that names them; what is no more is not."""
    for field in ("player", "partner"):
        rows = Entrant.objects.filter(pk__in=moved.get(field, ()))
        # Whoever stands in for them stands in for the same person, whatever they are called.
        Substitute.objects.filter(entrant__in=rows, instead_of=old).update(instead_of=new)
        rows.filter(**{field: old}).update(**{field: new})
    Substitute.objects.filter(pk__in=moved.get("substitute", ()), player=old).update(player=new)


def _sits_since(merge: Merge) -> bool:
    """Whether a seat taken since, which stays, would part from its entrant, who goes back."""
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
    """Note that the account of a player is none that a merge brought, for merges undone later."""
    player.merges.filter(account_moved=True).update(account_moved=False)


def _change(action: str, merge: Merge) -> Change:
    # The names are not said here, so that none is left when one of them is removed.
    what = {"other": subject_of(merge.gone), "seats": len(merge.seats)}
    return Change(KIND, action, subject_of(merge.kept), after=what)
