"""Mail without a mail server: written to the log, where it can be read and its code used."""

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger(__name__)

WITHOUT = "Attached, were there a mail server (KINGSCORE_EMAIL_URL)"


class LogBackend(BaseEmailBackend):
    """Writes each mail to the log."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write mails and return how many."""
        for mail in email_messages:
            with_it = "".join(f"\n{WITHOUT}: {name}" for name, *_rest in mail.attachments)
            text = f"{mail.body}{with_it}"
            logger.info("--- Mail to %s: %s\n%s\n---", ", ".join(mail.to), mail.subject, text)
        return len(email_messages)
