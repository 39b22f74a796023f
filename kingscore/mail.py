"""E-mail without a mail server: it is written to the log, where codes can be read."""

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger(__name__)

WITHOUT = "Attached, were there a mail server (KINGSCORE_EMAIL_URL)"


class LogBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write e-mails and return their number."""
        for mail in email_messages:
            with_it = "".join(f"\n{WITHOUT}: {name}" for name, *_rest in mail.attachments)
            text = f"{mail.body}{with_it}"
            logger.info("--- Mail to %s: %s\n%s\n---", ", ".join(mail.to), mail.subject, text)
        return len(email_messages)
