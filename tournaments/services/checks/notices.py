"""Notices about a check: one e-mail, and a notice on the page until it is repaired.

Owners are notified about their club, superusers about the server. The reader's language is
unknown here, so an e-mail contains the text in each language.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType

from django.conf import settings
from django.db.models import Count
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.models import Check, Club, Difference, User
from tournaments.models.clubs import Role
from tournaments.services.emails import Text, write_emails

CALLED: Mapping[str, str | Promise] = MappingProxyType(
    {
        "revisions": gettext_lazy("How often a sheet was written"),
        "results": gettext_lazy("Results of games"),
        "game-digests": gettext_lazy("Codes of games"),
        "round-digests": gettext_lazy("Codes of rounds and tournaments"),
        "standings": gettext_lazy("Standings of closed rounds"),
        "folded-names": gettext_lazy("How players are found by their names"),
        "names-on-sheets": gettext_lazy("Names on sheets"),
        "rating-changes": gettext_lazy("What games changed in ratings"),
        "ratings": gettext_lazy("Ratings"),
        "rating-counts": gettext_lazy("The counts of a leaderboard"),
    }
)
"""Names of the caches for readers."""

RULE = "\n\n— — —\n\n"


def write_notices(check: Check, at: datetime) -> None:
    """Write the e-mails about new differences, in the transaction that ends the check."""
    new = Difference.objects.open().filter(told_at=None)
    clubs = set(new.order_by().values_list("club", flat=True))
    names: dict[int | None, str] = dict(
        Club.objects.filter(pk__in=clubs - {None}).values_list("pk", "name")
    )
    for club in sorted(clubs, key=lambda pk: pk or 0):
        text = _letter(names.get(club, ""), counts_of(club))
        # The check is the key, so that nobody gets two e-mails however often it ends.
        about = f"check:{check.pk}:{club or 'server'}"
        write_emails(_readers(club), about, text, at=at)
    new.update(told_at=at)


def counts_of(club: int | None) -> list[tuple[str, int]]:
    """Return a club's (None: the server's) number of differences by cache (1 query)."""
    rows = Difference.objects.open().filter(club=club).order_by().values_list("cache")
    counted = dict(rows.annotate(number=Count("pk")))
    return [(cache, counted[cache]) for cache in CALLED if cache in counted]


def _readers(club: int | None) -> Iterable[User]:
    active = User.objects.filter(is_active=True).order_by("pk")
    if club is None:
        return active.filter(is_superuser=True)
    return active.filter(memberships__club=club, memberships__role=Role.OWNER)


def _letter(club: str, counted: list[tuple[str, int]]) -> Text:
    """Return subject and text, in every language."""
    subjects, bodies = [], []
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            subjects.append(str(_("nightly check")))
            bodies.append(_text(club, counted))
    return Text(f"Kingscore: {' / '.join(subjects)}", RULE.join(bodies) + "\n")


def _text(club: str, counted: list[tuple[str, int]]) -> str:
    where = _("Club: %(club)s") % {"club": club} if club else _("The whole server")
    lines = [f"  {CALLED[cache]}: {number}" for cache, number in counted]
    return "\n".join(
        (
            where,
            "",
            _("The nightly check has computed anew what is stored, and found something else:"),
            "",
            *lines,
            "",
            _("What the tables have written is untouched. Whoever runs the server can repair it:"),
            "",
            "  python manage.py check_caches --repair",
            "",
            _("You get this letter once; the page of the club says so until it is repaired.")
            if club
            else _("You get this letter once."),
        )
    )
