"""Letters written to accounts, and sent once: the row is the queue, a broken mail server waits."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from tournaments.models import Letter, Report, User
from tournaments.services.nudges import nudge

log = logging.getLogger(__name__)

SEND_TASK = "tournaments.tasks.sweep_letters"

MOST_AT_ONCE = 50
"""A sweep leaves the rest to the next one: a mail server may take seconds for each."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a letter says."""

    subject: str
    body: str


def write_letters(
    users: Iterable[User], about: str, text: Text, *, at: datetime, report: Report | None = None
) -> None:
    """Write to accounts about something, to each once; they are sent after the transaction.

    With a `report` they wait until that is made, and carry it, for whoever may read it then.
    """
    letters = (
        Letter(
            user=user,
            about=about,
            subject=text.subject,
            body=text.body,
            written_at=at,
            report=report,
            carries=report is not None,
        )
        for user in users
        if user.email
    )
    Letter.objects.bulk_create(letters, ignore_conflicts=True)
    transaction.on_commit(partial(nudge, SEND_TASK))


def sweep_letters(at: datetime) -> None:
    """Send what waits. Where the mail server is down the rest waits for the next sweep."""
    waiting = Letter.objects.awaiting_sending(at).order_by("pk")
    for pk in waiting.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        letter = _claim(pk, at)
        if letter is not None and not _send(letter):
            return


def _claim(pk: int, at: datetime) -> Letter | None:
    """Take a letter to send; None where somebody else has."""
    waiting = Letter.objects.awaiting_sending(at).filter(pk=pk)
    if not waiting.update(tried_at=at, tries=F("tries") + 1):
        return None
    return Letter.objects.select_related("user", "report__club").get(pk=pk)


def _send(letter: Letter) -> bool:
    """Whether to go on with the next letter: not where the mail server takes none."""
    mail = EmailMessage(letter.subject, letter.body, to=[letter.user.email])
    if letter.carries and not _attach(letter, mail):
        return True
    # No transaction is open: the mail server takes its time.
    try:
        mail.send()
    except OSError as error:
        # Of the kind alone: what the server says may name the address.
        log.warning("letter %s was not taken: %s", letter.pk, type(error).__name__)
        return False
    Letter.objects.filter(pk=letter.pk).update(sent_at=timezone.now())
    return True


def _attach(letter: Letter, mail: EmailMessage) -> bool:
    """Put its document into a mail; False where it must not, or cannot, be sent with it."""
    report = letter.report
    if report is None:
        return False
    if not Report.objects.readable_by(letter.user).filter(pk=report.pk).exists():
        # Whom it was written to has left meanwhile.
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
    """A name by which the document is found again in a mailbox."""
    parts = [report.club.slug if report.club else "", report.parameters.get("month", report.kind)]
    return "-".join(part for part in parts if part) + f".{report.format}"
