"""Letters written to accounts, and sent once: the row is the queue, a broken mail server waits."""

import logging
from collections.abc import Iterable
from datetime import datetime
from functools import partial

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from tournaments.models import Letter, User
from tournaments.services.nudges import nudge

log = logging.getLogger(__name__)

SEND_TASK = "tournaments.tasks.sweep_letters"

MOST_AT_ONCE = 50
"""A sweep leaves the rest to the next one: a mail server may take seconds for each."""


def write_letters(
    users: Iterable[User], about: str, subject: str, body: str, *, at: datetime
) -> None:
    """Write to accounts about something, to each once; they are sent after the transaction."""
    Letter.objects.bulk_create(
        (
            Letter(user=user, about=about, subject=subject, body=body, written_at=at)
            for user in users
            if user.email
        ),
        ignore_conflicts=True,
    )
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
    return Letter.objects.select_related("user").get(pk=pk)


def _send(letter: Letter) -> bool:
    """Whether the mail server has taken a letter."""
    mail = EmailMessage(letter.subject, letter.body, to=[letter.user.email])
    # No transaction is open: the mail server takes its time.
    try:
        mail.send()
    except OSError as error:
        # Of the kind alone: what the server says may name the address.
        log.warning("letter %s was not taken: %s", letter.pk, type(error).__name__)
        return False
    Letter.objects.filter(pk=letter.pk).update(sent_at=timezone.now())
    return True
