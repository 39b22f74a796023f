"""The authors of a game's revisions, as far as they are known."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from tournaments.models import Club, Game, Member, Player, Revision, User
from tournaments.models.clubs import DIRECTING
from tournaments.queries.people.members import called_in_club


def authors_of(row: Game, writes: Iterable[Revision]) -> Mapping[int, str]:
    """Return the author of each revision of a game; empty if none is known.

    The author is the name sent with the revision, else the name of the signed-in account, else the
    last name sent from the same phone, else its number. A director who does not play at the table
    is called so: their name may be a player's, too. Phones are numbered in the order of their first
    revisions, so `writes` must be all of them (up to 4 queries, none if nobody was signed in).
    """
    writes = tuple(writes)
    names = _names(row, {write.user_id for write in writes if write.user_id and not write.author})
    phones = dict.fromkeys(write.phone for write in writes if write.phone)
    numbers = {phone: number for number, phone in enumerate(phones, 1)}
    said = {write.phone: write.author for write in writes if write.phone and write.author}
    return {
        write.revision: write.author
        or names.get(write.user_id)
        or said.get(write.phone)
        or _phone(numbers, write)
        for write in writes
    }


def _phone(numbers: Mapping[str, int], write: Revision) -> str:
    return _("phone %(number)s") % {"number": numbers[write.phone]} if write.phone else ""


def _names(row: Game, accounts: set[int]) -> dict[int | None, str]:
    """Return the names in the club of its members, and the first names of other accounts."""
    if not accounts:
        return {}
    users = User.objects.in_bulk(accounts)
    club = Club.objects.filter(events__rounds__tables__games=row).first()
    if club is None:
        return {key: user.first_name for key, user in users.items()}
    players = Player.objects.present().filter(club=club, account__in=accounts)
    own = {player.account_id: player for player in players}
    directing = Member.objects.filter(club=club, role__in=DIRECTING, user__in=accounts)
    directing = directing.exclude(user__players__seats__game=row)
    directors = set(directing.values_list("user_id", flat=True))
    called = {key: called_in_club(user, own.get(key)) for key, user in users.items()}
    return {
        key: _("%(name)s (director)") % {"name": name} if key in directors else name
        for key, name in called.items()
    }
