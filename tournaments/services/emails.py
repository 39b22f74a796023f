"""E-mails to accounts, sent once: the row is the queue, and waits for a broken mail server."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from smtplib import SMTPDataError, SMTPNotSupportedError, SMTPRecipientsRefused

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from tournaments.engine.rules.entries import clean_line
from tournaments.models import Email, Report, User
from tournaments.services.base.writes import wake_worker

log = logging.getLogger(__name__)

SEND_TASK = "tournaments.tasks.sweep_emails"

OF_THIS_LETTER = (SMTPRecipientsRefused, SMTPDataError, SMTPNotSupportedError)
"""What a mail server answers to one letter while it may take others; it is tried again."""

MOST_AT_ONCE = 50
"""Maximum per sweep: a mail server may take seconds for each."""


@dataclass(frozen=True, slots=True)
class Text:
    """Subject and text of an e-mail; where its kind is ended, and until when it helps."""

    subject: str
    body: str
    unsubscribe: str = ""
    expires_at: datetime | None = None


def write_emails(
    users: Iterable[User], about: str, text: Text, *, at: datetime, report: Report | None = None
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
    return None if letter.carries and not _attach(letter, mail) else mail


def _attach(letter: Email, mail: EmailMessage) -> bool:
    """Attach the document to an e-mail; False if it must not or cannot be sent."""
    report = letter.report
    if report is None:
        return False
    if not Report.objects.readable_by(letter.user).filter(pk=report.pk).exists():
        # The recipient has left meanwhile.
        letter.delete()
        return False
    try:
        with report.file.open("rb") as file:
            mail.attach(_file_name(report), file.read())
    except (OSError, ValueError) as error:
        log.warning("letter %s waits for its document: %s", letter.pk, type(error).__name__)
        return False
    return True


def _file_name(report: Report) -> str:
    parts = [report.club.slug if report.club else "", report.parameters.get("month", report.kind)]
    return "-".join(part for part in parts if part) + f".{report.format}"
