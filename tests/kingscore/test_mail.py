import logging
from io import StringIO

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from tournaments.models import fields


@pytest.fixture
def terminal():
    handlers = logging.getLogger("kingscore.mail").handlers
    (handler,) = [handler for handler in handlers if type(handler) is logging.StreamHandler]
    before = handler.setStream(StringIO())
    yield handler.stream
    handler.setStream(before)


def test_mail_is_written_with_its_code_and_links(terminal):
    secret = fields.derive("claim", "k7f3q", 1)
    letter = EmailMessage(
        "Your code", f"0123-4567\nhttp://king/claim/k7f3q/{secret}/", to=["a@b.c"]
    )
    backend = mail.get_connection("kingscore.mail.LogBackend")

    assert backend.send_messages([letter]) == 1

    said = terminal.getvalue()
    assert "Mail to a@b.c: Your code" in said
    assert "\n0123-4567\n" in said
    assert f"http://king/claim/k7f3q/{secret}/\n" in said


def test_what_a_mail_carries_is_named_where_no_mail_server_takes_it(terminal):
    letter = EmailMessage("Moda: Ekim 2026", "Ekte.", to=["a@b.c"])
    letter.attach("moda-2026-10.pdf", b"%PDF")

    assert mail.get_connection("kingscore.mail.LogBackend").send_messages([letter]) == 1

    said = terminal.getvalue()
    assert "Attached, were there a mail server (KINGSCORE_EMAIL_URL): moda-2026-10.pdf" in said
