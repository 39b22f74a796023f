"""The month of each club, mailed on the first to those who direct it: once, whoever sweeps."""

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

from tournaments.engine.club_sums import NIGHT
from tournaments.models import Club, Game, Letter, Member, Report, User
from tournaments.models.clubs import DIRECTING
from tournaments.queries.clubs import month_after, month_before, month_key
from tournaments.services.documents.reporting import Order, request_document
from tournaments.services.letters.sending import Text, write_letters

RULE = "\n\n— — —\n\n"


def month_over(at: datetime) -> date:
    """The first day of the last month that is over, by the clock on the wall.

    What is played after midnight still belongs to the evening before.
    """
    evening = timezone.localtime(at).replace(tzinfo=None) - NIGHT
    return month_before(evening.date().replace(day=1))


def sweep_months(at: datetime) -> None:
    """Ask for the month of every club that had games in it, and write to its directors."""
    month = month_over(at)
    for pk in list(_due(month).values_list("pk", flat=True)):
        _mail_month(pk, month, at)


def _due(month: date) -> QuerySet[Club]:
    """The clubs whose month is to be mailed.

    Not of one that was founded later: what it has of that month was imported.
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
    """The clubs whose month was not mailed."""
    return Club.objects.filter(Q(month_mailed=None) | Q(month_mailed__lt=month))


def _mail_month(pk: int, month: date, at: datetime) -> None:
    """Ask for the documents and write the letters: all of it or nothing, and once."""
    with transaction.atomic():
        # Whoever comes second waits for the row, and finds it done.
        if not _not_yet(month).filter(pk=pk).update(month_mailed=month):
            return
        club = Club.objects.get(pk=pk)
        about = f"month:{pk}:{month_key(month)}"
        for language, readers in _by_language(_readers(pk)).items():
            report = request_document(_order(club, month, language), at)
            text = _letter(club, month, language)
            write_letters(readers, about, text, at=at, report=report)


def _order(club: Club, month: date, language: str) -> Order:
    return Order(
        kind=Report.Kind.CLUB_MONTH,
        subject=club,
        audience=Report.Audience.MEMBERS,
        language=language or settings.LANGUAGE_CODE,
        paper=club.paper,
        parameters={"month": month_key(month)},
    )


# Who reads it.


def _readers(club: int) -> Iterable[User]:
    """Owners and directors with an address that is proved, who have not switched it off."""
    members = Member.objects.filter(club=club, role__in=DIRECTING, month_by_mail=True)
    users = User.objects.filter(is_active=True, memberships__in=members)
    proved = users.filter(emailaddress__email__iexact=F("email"), emailaddress__verified=True)
    return proved.order_by("pk").distinct()


def _by_language(users: Iterable[User]) -> Mapping[str, list[User]]:
    """Who reads in which language; empty where it is not known."""
    found: dict[str, list[User]] = defaultdict(list)
    known = dict(settings.LANGUAGES)
    for user in users:
        found[user.language if user.language in known else ""].append(user)
    return found


def remember_language(user: int, language: str) -> None:
    """Write to an account in this language from now on."""
    User.objects.filter(pk=user).exclude(language=language).update(language=language)


def switch_month(member: Member, *, wanted: bool) -> None:
    """Mail the month of a club to a member from now on, or no longer."""
    with transaction.atomic():
        Member.objects.filter(pk=member.pk).update(month_by_mail=wanted)
        if not wanted:
            about = f"month:{member.club_id}:"
            waiting = Letter.objects.filter(user=member.user_id, about__startswith=about)
            waiting.filter(sent_at=None).delete()


# What it says.


def _letter(club: Club, month: date, language: str) -> Text:
    """Subject and text; in every language where the reader's is not known."""
    languages = [language] if language else [code for code, _name in settings.LANGUAGES]
    names, bodies = [], []
    for code in languages:
        with translation.override(code):
            names.append(date_format(month, "YEAR_MONTH_FORMAT"))
            bodies.append(_text(club, names[-1]))
    return Text(f"{club.name}: {' / '.join(names)}", RULE.join(bodies) + "\n")


def _text(club: Club, month: str) -> str:
    told = {"club": club.name, "month": month}
    site = settings.SITE_ADDRESS or settings.FOUND_AT
    page = f"{site}{reverse('me')}#mails" if site else ""
    return "\n".join(
        (
            _("%(month)s at %(club)s, as a document:") % told,
            _("evenings and winners, newcomers, ratings and records, and what comes next."),
            "",
            _("It comes on the first of the month to those who direct the club."),
            _("It is switched off on the page “My account”.") + (f"\n  {page}" if page else ""),
        )
    )
