"""The monthly e-mail of each club, sent once on the first to its directors."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from tournaments.engine.statistics import NIGHT
from tournaments.models import Club, Email, Game, Member, Report, User
from tournaments.models.clubs import DIRECTING
from tournaments.queries.site import month_after, month_before, month_key
from tournaments.services.documents.reporting import Order, request_document
from tournaments.services.emails import Text, write_emails

RULE = "\n\n— — —\n\n"


def month_over(at: datetime) -> date:
    """Return the first day of the last complete month, in local time.

    Games after midnight still belong to the evening before.
    """
    evening = timezone.localtime(at).replace(tzinfo=None) - NIGHT
    return month_before(evening.date().replace(day=1))


def sweep_months(at: datetime) -> None:
    """Request the month's document of each club with games, and write e-mails to its directors."""
    month = month_over(at)
    for pk in list(_due(month).values_list("pk", flat=True)):
        _mail_month(pk, month, at)


def _due(month: date) -> QuerySet[Club]:
    """Return the clubs whose month is due.

    A club founded later is left out: its games of that month were imported.
    """
    end = month_after(month)
    played = Game.objects.filter(
        table__round__event__club=OuterRef("pk"),
        table__round__event__held_on__gte=month,
        table__round__event__held_on__lt=end,
        result__isnull=False,
    )
    founded = timezone.make_aware(datetime.combine(end, time.min))
    return _not_yet(month).filter(Exists(played), created_at__lt=founded).order_by("pk")


def _not_yet(month: date) -> QuerySet[Club]:
    """Return the clubs whose month was not mailed."""
    return Club.objects.filter(Q(month_mailed=None) | Q(month_mailed__lt=month))


def _mail_month(pk: int, month: date, at: datetime) -> None:
    """Request the documents and write the e-mails in one transaction, once."""
    with transaction.atomic():
        # A second worker waits for the row and finds the month done.
        if not _not_yet(month).filter(pk=pk).update(month_mailed=month):
            return
        club = Club.objects.get(pk=pk)
        about = f"month:{pk}:{month_key(month)}"
        for language, readers in _by_language(_readers(pk)).items():
            report = request_document(_order(club, month, language), at)
            text = _letter(club, month, language)
            write_emails(readers, about, text, at=at, report=report)


def _order(club: Club, month: date, language: str) -> Order:
    return Order(
        kind=Report.Kind.CLUB_MONTH,
        subject=club,
        audience=Report.Audience.MEMBERS,
        language=language or settings.LANGUAGE_CODE,
        paper=club.paper,
        parameters={"month": month_key(month)},
    )


# Recipients.


def _readers(club: int) -> Iterable[User]:
    """Return owners and directors with a verified address who have not opted out."""
    members = Member.objects.filter(club=club, role__in=DIRECTING, month_by_mail=True)
    users = User.objects.filter(is_active=True, memberships__in=members)
    proved = users.filter(emailaddress__email__iexact=F("email"), emailaddress__verified=True)
    return proved.order_by("pk").distinct()


def _by_language(users: Iterable[User]) -> Mapping[str, list[User]]:
    """Group users by language; the key is empty if the language is unknown."""
    found: dict[str, list[User]] = defaultdict(list)
    known = dict(settings.LANGUAGES)
    for user in users:
        found[user.language if user.language in known else ""].append(user)
    return found


def remember_language(user: int, language: str) -> None:
    """Write e-mails to an account in this language from now on."""
    User.objects.filter(pk=user).exclude(language=language).update(language=language)


def switch_month(member: Member, *, wanted: bool) -> None:
    """Turn a club's monthly e-mail on or off for a member."""
    with transaction.atomic():
        Member.objects.filter(pk=member.pk).update(month_by_mail=wanted)
        if not wanted:
            about = f"month:{member.club_id}:"
            waiting = Email.objects.filter(user=member.user_id, about__startswith=about)
            waiting.filter(sent_at=None).delete()


# Content.


def _letter(club: Club, month: date, language: str) -> Text:
    """Return subject and text; in every language if the reader's is unknown."""
    languages = [language] if language else [code for code, _name in settings.LANGUAGES]
    names, bodies = [], []
    for code in languages:
        with translation.override(code):
            names.append(date_format(month, "YEAR_MONTH_FORMAT"))
            bodies.append(_text(club, names[-1]))
    return Text(f"{club.name}: {' / '.join(names)}", RULE.join(bodies) + "\n")


def _text(club: Club, month: str) -> str:
    details = {"club": club.name, "month": month}
    site = settings.SITE_ADDRESS or settings.FOUND_AT
    page = f"{site}{reverse('me')}#mails" if site else ""
    return "\n".join(
        (
            _("%(month)s at %(club)s, as a document:") % details,
            _("evenings and winners, newcomers, ratings and records, and what comes next."),
            "",
            _("It comes on the first of the month to those who direct the club."),
            _("It is switched off on the page “My account”.") + (f"\n  {page}" if page else ""),
        )
    )
