import os
import re
import socket
import threading
from concurrent.futures import Future
from contextlib import closing
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings as project
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone

from kingscore.observing.health import LOOKS, Look
from tests.factories import UserFactory
from tournaments.models import Backup, Worker

ID = "2a1aa9288f6c41acbe88f45454ad6f5e"

WRITE = "kingscore.observing.requests: POST record: 422"

TEXT = f"""\
2026-11-22 19:03:10+0000 WARNING {WRITE} after 9 ms: must-be-void [other-id-of-then]
2026-11-22 19:03:11+0000 ERROR django.request: Internal Server Error: record [{ID}]
Traceback (most recent call last):
ValueError
2026-11-22 19:03:11+0000 WARNING {WRITE} after 21.4 ms: email:invalid, wrong-total [{ID}]
2026-11-22 19:03:12+0000 INFO kingscore.observing.refusals: Refused: token [other-id-of-then]
"""
JSON = (
    '{"time": "2026-11-22T19:03:11.204+00:00", "message": "POST api:entry-list: 422 after 21.4 ms:'
    f' wrong-total", "request_id": "{ID}", "codes": ["wrong-total"]}}\n'
)


@pytest.fixture
def well(transactional_db, live_server, settings, monkeypatch):
    """A site that runs as it should, except for what a test changes."""
    # In a run of all tests this write, by a connection of its own, was refused; alone it is not.
    monkeypatch.setitem(LOOKS, "writing", Look(lambda: None))
    now = timezone.now()
    Backup.objects.create(began_at=now, ended_at=now, rows=1, size=1)
    Worker.objects.create(name="a", version=settings.VERSION, started_at=now, seen_at=now)
    UserFactory(is_superuser=True, email="host@club.example")
    project.DATA.chmod(0o700)
    settings.EMAIL_URL = "smtp://mail.club.example?from=a@b.c"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "mail.club.example", 587
    settings.EMAIL_USE_TLS = True
    settings.SITE_ADDRESS = live_server.url
    settings.ALLOWED_HOSTS = ["localhost"]
    return settings


def examine(*words):
    out = StringIO()
    try:
        call_command("doctor", *words, stdout=out)
    except SystemExit as end:
        return end.code, out.getvalue()
    return 0, out.getvalue()


def test_site_that_runs_well_has_no_line_that_says_what_to_do(well):
    status, said = examine()

    assert (status, "✗" in said) == (0, False), said
    assert [letter.to for letter in mail.outbox] == [["host@club.example"]]
    assert "sent to host@club.example by mail.club.example:587 with STARTTLS" in said
    assert f"{well.SITE_ADDRESS} is reached" in said
    names = {line[2:11].strip() for line in said.splitlines()}
    assert names >= {
        "Versions",
        "Settings",
        "Folder",
        "Clock",
        "Database",
        "Backup",
        "Copy",
        "Broker",
    }


def age_backup(_settings):
    Backup.objects.update(ended_at=timezone.now() - timedelta(days=3))


def lose_worker(_settings):
    Worker.objects.update(seen_at=timezone.now() - timedelta(hours=1))


def update_program(_settings):
    Worker.objects.update(version="0.0.1")


def open_folder(_settings):
    project.DATA.chmod(0o755)


def forget_name(settings):
    settings.ALLOWED_HOSTS = ["king.example.org"]


def trust_visitors(settings):
    """No proxy replaces what a visitor sends."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1


def count_too_many_proxies(settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 2


def misspell_name(settings):
    settings.SITE_ADDRESS = "https://king.invalid"


def close_proxy(settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings.SITE_ADDRESS = f"http://localhost:{taken.getsockname()[1]}"


def show_program(settings):
    settings.DEBUG = True


@pytest.mark.parametrize(
    ("spoil", "advice"),
    [
        (age_backup, "ago: systemctl status kingscore-backup"),
        (lose_worker, "None is running: systemctl restart kingscore"),
        (update_program, "One is of version 0.0.1"),
        (open_folder, "Others can read"),
        (forget_name, "The web server refuses the name"),
        (trust_visitors, "must replace X-Forwarded-For"),
        (count_too_many_proxies, "KINGSCORE_PROXIES is more than"),
        (misspell_name, "king.invalid leads nowhere"),
        (close_proxy, "Does the proxy run"),
        (show_program, "KINGSCORE_DEBUG shows the program"),
    ],
)
def test_what_is_wrong_says_what_to_do(well, spoil, advice):
    spoil(well)

    status, said = examine()

    (line,) = (line for line in said.splitlines() if line.startswith("✗"))
    assert (status, advice in line) == (1, True), said


def test_database_that_is_away_is_said_once(well, monkeypatch):
    answer = Future()
    answer.set_result("OperationalError")
    monkeypatch.setattr(LOOKS["database"], "begin", lambda: answer)

    status, said = examine()

    (line,) = (line for line in said.splitlines() if line.startswith("✗"))
    assert (status, "is KINGSCORE_DATABASE_URL right?" in line) == (1, True), said
    assert not re.search("Backup|Worker|Mail", said)


def test_mail_server_without_starttls_is_named(well):
    """It listens, and offers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        well.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        well.EMAIL_HOST, well.EMAIL_PORT = listener.getsockname()
        threading.Thread(target=greet, args=[listener], daemon=True).start()

        status, said = examine()

    assert status == 1
    assert "STARTTLS extension not supported by server. Try smtps://" in said


def greet(listener):
    line, _ = listener.accept()
    with closing(line), line.makefile("r") as words:
        line.sendall(b"220 mail.club.example\r\n")
        for word in words:
            line.sendall(
                b"221 bye\r\n" if word.startswith("quit") else b"250 mail.club.example\r\n"
            )


def test_another_user_than_that_of_the_data_is_refused(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 12345)

    with pytest.raises(CommandError, match="Run it as the user"):
        call_command("doctor")


@pytest.mark.parametrize(("log", "lines"), [(TEXT, 4), (JSON, 1)])
def test_one_request_is_explained_by_its_lines_and_codes(tmp_path, log, lines):
    (tmp_path / "log").write_text(log)

    status, said = examine(ID, "--log", str(tmp_path / "log"))

    assert status == 0
    told = said.splitlines()
    assert told.pop() == "  wrong-total: …: must be … in all, … written."
    assert told == [line for line in log.splitlines() if line in told]
    assert len(told) == lines
    assert "must-be-void" not in said


def test_journal_is_read_where_no_log_is_named(tmp_path, monkeypatch):
    (tmp_path / "log").write_text(TEXT)
    (tmp_path / "journalctl").write_text(f'#!/bin/sh\n[ "$2" = kingscore ] && cat {tmp_path}/log\n')
    (tmp_path / "journalctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    assert examine(ID) == examine(ID, "--log", str(tmp_path / "log"))


def test_request_that_the_log_does_not_know_is_an_error(tmp_path):
    (tmp_path / "log").write_text(TEXT)

    for words, reason in (
        (["unknown-id-of-now", "--log", str(tmp_path / "log")], "says nothing of"),
        (["short"], "8 to 64 letters"),
        ([ID, "--log", str(tmp_path / "none")], "No such file"),
    ):
        with pytest.raises(CommandError, match=reason):
            call_command("doctor", *words)
