"""E-mails: the queue, and the months of clubs that are sent to members."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from functools import partial
from smtplib import SMTPDataError, SMTPNotSupportedError, SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from tournaments.engine.rules.entries import clean_line
from tournaments.engine.statistics import NIGHT
from tournaments.models import Club, Email, Game, Member, Report, User
from tournaments.models.clubs import DIRECTING
from tournaments.queries.site import month_after, month_before, month_key
from tournaments.services.base.writes import wake_worker
from tournaments.services.documents.reporting import Order, request_document

log = logging.getLogger(__name__)

SEND_TASK = "tournaments.tasks.sweep_emails"

OF_THIS_LETTER = (SMTPRecipientsRefused, SMTPDataError, SMTPNotSupportedError)
"""What a mail server answers to one letter while it may take others; it is tried again."""

MOST_AT_ONCE = 50
"""Maximum per sweep: a mail server may take seconds for each."""


@dataclass(frozen=True, slots=True)
class EmailText:
    """Subject and text of an e-mail; where its kind is ended, and until when it helps."""

    subject: str
    body: str
    unsubscribe: str = ""
    expires_at: datetime | None = None


def write_emails(
    users: Iterable[User],
    about: str,
    text: EmailText,
    *,
    at: datetime,
    report: Report | None = None,
) -> None:
    """Write one e-mail to each account; they are sent after the commit, unless they expire before.

    With a `report` they wait until it is built, and attach it for readers who still may see it.
    """
    emails = (
        Email(
            user=user,
            about=about,
            subject=text.subject,
            body=text.body,
            unsubscribe=text.unsubscribe,
            written_at=at,
            expires_at=text.expires_at,
            report=report,
            carries=report is not None,
        )
        for user in users
        if user.email
    )
    Email.objects.bulk_create(emails, ignore_conflicts=True)
    transaction.on_commit(partial(wake_worker, SEND_TASK))


def sweep_emails(at: datetime) -> None:
    """Send waiting e-mails. If the mail server is down, the rest waits for the next sweep."""
    waiting = Email.objects.awaiting_sending(at).order_by("pk")
    for pk in waiting.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        letter = _claim(pk, at)
        if letter is not None and not _send(letter):
            return


def _claim(pk: int, at: datetime) -> Email | None:
    """Claim an e-mail to send; None if another worker has it."""
    waiting = Email.objects.awaiting_sending(at).filter(pk=pk)
    if not waiting.update(tried_at=at, tries=F("tries") + 1):
        return None
    return Email.objects.select_related("user", "report__club").get(pk=pk)


def _send(letter: Email) -> bool:
    """Send an e-mail; False if the mail server accepts none, so that the sweep stops.

    One that cannot be made or sent stops no other: it is given up.
    """
    # No transaction is open, since the mail server may be slow.
    try:
        mail = _mail_of(letter)
        if mail is not None:
            mail.send()
            Email.objects.filter(pk=letter.pk).update(sent_at=timezone.now())
    except OF_THIS_LETTER as error:
        log.warning("letter %s was not taken: %s", letter.pk, type(error).__name__)
    except OSError as error:
        # Log the kind only: the server's reply may contain the address.
        log.warning("letter %s was not taken: %s", letter.pk, type(error).__name__)
        return False
    except Exception as error:  # noqa: BLE001 - the text of any kind may contain the address
        log.error("letter %s is given up: %s", letter.pk, type(error).__name__)  # noqa: TRY400
        Email.objects.filter(pk=letter.pk).update(expires_at=timezone.now())
    return True


def _mail_of(letter: Email) -> EmailMessage | None:
    """Return an e-mail as it is sent; None if its document must not or cannot be sent."""
    mail = EmailMessage(clean_line(letter.subject), letter.body, to=[letter.user.email])
    if letter.unsubscribe:
        # One tap in the mail program, without a page: RFC 8058.
        mail.extra_headers = {
            "List-Unsubscribe": f"<{letter.unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }
    if not letter.carries:
        return mail
    report = letter.report
    if report is None:
        return None
    if not Report.objects.readable_by(letter.user).filter(pk=report.pk).exists():
        # The recipient has left meanwhile.
        letter.delete()
        return None
    parts = [report.club.slug if report.club else "", report.parameters.get("month", report.kind)]
    name = "-".join(part for part in parts if part) + f".{report.format}"
    try:
        with report.file.open("rb") as file:
            mail.attach(name, file.read())
    except (OSError, ValueError) as error:
        log.warning("letter %s waits for its document: %s", letter.pk, type(error).__name__)
        return None
    return mail


RULE = "\n\n— — —\n\n"


def month_over(at: datetime, zone: tzinfo | None = None) -> date:
    """Return the first day of the last complete month, in a time zone or in that of the server.

    Games after midnight still belong to the evening before.
    """
    evening = timezone.localtime(at, zone).replace(tzinfo=None) - NIGHT
    return month_before(evening.date().replace(day=1))


def sweep_months(at: datetime) -> None:
    """Request the month's document of each club with games, and write e-mails to its directors.

    A club's documents and e-mails are one transaction, once.
    """
    month = month_over(at)
    for pk in list(_due(month).values_list("pk", flat=True)):
        if month_over(at, Club.objects.get(pk=pk).zone) < month:
            continue
        with transaction.atomic():
            # A second worker waits for the row and finds the month done.
            if not _not_yet(month).filter(pk=pk).update(month_mailed=month):
                continue
            club = Club.objects.get(pk=pk)
            for language, readers in _readers(pk).items():
                order = Order(
                    kind=Report.Kind.CLUB_MONTH,
                    subject=club,
                    audience=Report.Audience.MEMBERS,
                    language=language or settings.LANGUAGE_CODE,
                    paper=club.paper,
                    parameters={"month": month_key(month)},
                )
                report = request_document(order, at)
                about, text = f"month:{pk}:{month_key(month)}", _letter(club, month, language)
                write_emails(readers, about, text, at=at, report=report)


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
    return Club.objects.filter(Q(month_mailed=None) | Q(month_mailed__lt=month))


def _readers(club: int) -> Mapping[str, list[User]]:
    """Return those who get a club's e-mail by language; the key is empty if it is unknown."""
    members = Member.objects.filter(club=club, role__in=DIRECTING, month_by_mail=True)
    users = User.objects.filter(is_active=True, memberships__in=members)
    proved = users.filter(emailaddress__email__iexact=F("email"), emailaddress__verified=True)
    found: dict[str, list[User]] = defaultdict(list)
    known = dict(settings.LANGUAGES)
    for user in proved.order_by("pk").distinct():
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


def _letter(club: Club, month: date, language: str) -> EmailText:
    """Return subject and text; in every language if the reader's is unknown."""
    languages = [language] if language else [code for code, _name in settings.LANGUAGES]
    names, bodies = [], []
    for code in languages:
        with translation.override(code):
            names.append(date_format(month, "YEAR_MONTH_FORMAT"))
            bodies.append(_text(club, names[-1]))
    return EmailText(f"{club.name}: {' / '.join(names)}", RULE.join(bodies) + "\n")


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
