"""Examine a site, or explain why one person's save failed."""

import json
import logging
import os
import platform
import pwd
import re
import shutil
import socket
import ssl
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from smtplib import SMTPNotSupportedError
from time import time
from typing import Any
from urllib.parse import urlsplit

import django
from django.conf import settings
from django.core import checks, mail
from django.core.management.base import BaseCommand, CommandError
from django.core.signing import TimestampSigner
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.timesince import timesince

from kingscore.observing.health import DOCTOR, LOOKS, PATIENCE
from kingscore.observing.logs import ID
from tournaments.api.codes import faults, kinds_of_problems
from tournaments.api.reference.views import PARAMETER
from tournaments.models import User
from tournaments.queries.site import copied_at, load_running
from tournaments.web.site.views import BACKUP_EVERY, LEAST_ROOM, LONGEST_WAIT, worries_of_copy

Finding = tuple[bool | None, str]
"""The result of a check (None: not set up), and a text: the state found, or what to do."""

MARKS = {True: "✓", False: "✗", None: "–"}

SPOOFED = "192.0.2.66"
"""An address that nobody has, which the proxy must not pass on as that of a visitor."""

LATE = 0.1
"""The part of a certificate's time that is left at the end: proxies renew it at a third."""

UNIT = Path("/etc/systemd/system/kingscore.service")

JOURNAL = ("journalctl", "--unit", "kingscore", "--since", "-14 days", "--output", "cat")

BEGINS = re.compile(r"\{|\d{4}-\d\d-\d\d ")
CODES = re.compile(r": \d{3} after [\d.]+ ms: ([\w:.-]+(?:, [\w:.-]+)*)")


ADVICE = {
    "database": "Does it run, is KINGSCORE_DATABASE_URL right?",
    "writing": "Is its disk full, or is it a standby?",
    "migrations": "Restart the program, which migrates.",
    "tables": "Take a released version: its migrations were changed after they were applied.",
    "broker": "Does it run, is KINGSCORE_BROKER_URL right?",
}
"""What to do about a part that /readyz finds wrong."""


def examine_settings(_mail_to: str) -> Iterator[Finding]:
    """Run the checks of Django; the form of each variable was checked before this began."""
    found = checks.run_checks(include_deployment_checks=settings.HTTPS)
    problems = [each for each in found if each.level >= checks.WARNING and not each.is_silenced()]
    for problem in problems:
        yield False, " ".join(filter(None, (problem.msg, problem.hint)))
    if not problems:
        given = sum(name in settings.ENVIRONMENT.variables for name in settings.ENVIRONMENT.names)
        yield True, f"{given} set, each of the right form"
    if settings.DEBUG:
        yield False, "KINGSCORE_DEBUG shows the program to visitors: take it out."


def examine_versions(_mail_to: str) -> Iterator[Finding]:
    yield True, f"Kingscore {settings.VERSION}, Django {django.__version__}"
    python = os.path.realpath(sys.executable)
    yield True, f"Python {platform.python_version()}, {python}, run by {user_of(os.geteuid())}"
    # The unit protects them, although this user may read them.
    if UNIT.exists() and python.startswith(("/home/", "/root/")):
        yield False, "systemd hides that from the service: make ready PYTHON=/usr/bin/python3"


def user_of(uid: int) -> str:
    """Return the name of a user; in a container there may be none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def examine_folder(_mail_to: str) -> Iterator[Finding]:
    """Look for room, and for what others on the machine may read."""
    free = shutil.disk_usage(settings.DATA).free
    text = f"{filesizeformat(free)} free for {settings.DATA}"
    yield free >= LEAST_ROOM, text if free >= LEAST_ROOM else f"{text}: make room, 1 GB at least."
    if settings.DATA.stat().st_mode & 0o077:
        yield False, f"Others can read {settings.DATA}: chmod 700 {settings.DATA}"


def examine_clock(_mail_to: str) -> Iterator[Finding]:
    """Ask systemd whether the clock is set by NTP."""
    ask = ["timedatectl", "show", "--property", "NTPSynchronized", "--value"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        said = ""
    now = timezone.localtime()
    text = f"{now:%Y-%m-%d %H:%M:%S} in {settings.TIME_ZONE}"
    if said.strip() == "no":
        yield False, f"{text}, not set by NTP: timedatectl set-ntp true"
    else:
        is_set = said.strip() == "yes"
        yield is_set or None, f"{text}, {'set by NTP' if is_set else 'compare it with another'}"


def examine_parts(names: Iterable[str]) -> Iterator[Finding]:
    """Yield the failing checks of /readyz."""
    for name in names:
        try:
            answer = LOOKS[name].begin().result(PATIENCE)
        except TimeoutError:
            answer = f"no answer in {PATIENCE} seconds"
        if answer != "ok":
            yield False, f"{name}: {answer}. {ADVICE[name]}"


def examine_database(_mail_to: str) -> Iterator[Finding]:
    """Ask for the database, and for its parts once it answers; compare the clock of PostgreSQL."""
    problems = list(examine_parts(["database"]))
    problems = problems or list(examine_parts(("writing", "migrations", "tables")))
    yield from problems
    if problems:
        return
    size = filesizeformat(load_running(timezone.now())["size"])
    version = ".".join(map(str, connection.get_database_version()))
    yield True, f"{connection.display_name} {version}, {size}, migrated and writable"
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT now()")
            apart = abs((timezone.now() - cursor.fetchone()[0]).total_seconds())
        if apart > 5:
            yield False, f"The clock of PostgreSQL differs by {apart:.0f} s: set both by NTP."


def examine_backup(_mail_to: str) -> Iterator[Finding]:
    backup, now = load_running(timezone.now())["backup"], timezone.now()
    every_night = "systemctl enable --now kingscore-backup.timer"
    if backup is None:
        yield False, f"There is none. Every night: {every_night}"
    else:
        old = now - backup.ended_at > BACKUP_EVERY
        text = f"the last one {timesince(backup.ended_at, now)} ago"
        text += f": systemctl status kingscore-backup; {every_night}" if old else ""
        yield not old, f"{text}, {filesizeformat(backup.size)}" if not old else text


def examine_copy(_mail_to: str) -> Iterator[Finding]:
    """Look how old the continuous copy is, from which another machine could take over."""
    now, at = timezone.now(), copied_at()
    if not settings.COPY_TO:
        yield None, "none: KINGSCORE_COPY_TO, docs/take-over.md"
        return
    worries = list(worries_of_copy(at, now))
    yield from ((False, worry) for worry in worries)
    if at is not None and not worries:
        yield True, f"lacks the last {(now - at).total_seconds():.0f} s"


def examine_broker(_mail_to: str) -> Iterator[Finding]:
    problems = list(examine_parts(["broker"]))
    yield from problems
    if not problems:
        yield True, urlsplit(settings.CELERY_BROKER_URL).scheme


def examine_worker(_mail_to: str) -> Iterator[Finding]:
    """Look for workers that live and are of this version, and for work that waits."""
    now = timezone.now()
    running = load_running(now)
    alive = [worker for worker in running["workers"] if worker.pk in running["alive"]]
    old = sorted({worker.version for worker in alive} - {settings.VERSION})
    if not alive:
        yield False, "None is running: systemctl restart kingscore; journalctl --unit kingscore"
    elif old:
        yield False, f"One is of version {', '.join(old)}: systemctl restart kingscore"
    else:
        yield True, f"{len(alive)} running"
    if running["failed_starts"]:
        yield False, f"It has ended {running['failed_starts']} times: journalctl --unit kingscore"
    for kind, number, oldest in running["queues"]:
        if oldest and now - oldest > LONGEST_WAIT:
            yield False, f"{number} {kind} wait, the first for {timesince(oldest, now)}."


def examine_mail(mail_to: str) -> Iterator[Finding]:
    """Send a mail to the host."""
    if not settings.EMAIL_URL:
        yield None, "KINGSCORE_EMAIL_URL is not set: each mail is written to the log"
        return
    host = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    way = "TLS" if settings.EMAIL_USE_SSL else "STARTTLS" if settings.EMAIL_USE_TLS else ""
    hosts = User.objects.filter(is_superuser=True, is_active=True).exclude(email="")
    to = mail_to or hosts.order_by("pk").values_list("email", flat=True).first()
    try:
        with mail.get_connection() as server:
            if to:
                subject, text = "Kingscore: doctor", "Mails of Kingscore reach you."
                mail.EmailMessage(subject, text, to=[to], connection=server).send()
    except SMTPNotSupportedError as fault:
        yield False, f"{host}: {fault} Try smtps://…:465, or ?tls=0 on a network of your own."
    except OSError as fault:
        yield False, f"{host} with {way or 'no encryption'}: {fault}. See KINGSCORE_EMAIL_URL."
    else:
        done = f"sent to {to}" if to else "reached, nothing sent: --mail-to YOU@EXAMPLE.ORG"
        yield True, f"{done} by {host} with {way or 'no encryption'}"


def examine_address(_mail_to: str) -> Iterator[Finding]:
    """Visit the site by its address, as a browser does, and ask what came through the proxy."""
    site = urlsplit(settings.SITE_ADDRESS)
    if not site.hostname:
        yield None, "KINGSCORE_HOSTS is not set: phones come by the address that `up` prints"
        return
    if site.scheme != "https":
        yield None, "KINGSCORE_HTTPS is off: no passkeys and notifications, for a network of yours"
    try:
        seen, ends = visit(site.scheme, site.hostname, site.port)
    except ssl.SSLCertVerificationError as fault:
        yield False, f"Browsers refuse the certificate: {fault.verify_message}."
    except socket.gaierror:
        yield False, f"{site.hostname} leads nowhere: make a DNS record (A, AAAA) to this machine."
    except OSError as fault:
        yield False, f"{settings.SITE_ADDRESS}: {fault}. Does the proxy run, is its port open?"
    else:
        if ends:
            yield False, f"The certificate ends on {ends}: see the log of the proxy."
        yield from judge(seen, https=site.scheme == "https")
        if site.scheme == "https" and not site.port:
            yield from examine_redirect(site.hostname)


def visit(scheme: str, host: str, port: int | None) -> tuple[Any, str]:
    """Return what a web server sees of a visit, and when a certificate ends that is late.

    It sees None if it does not know this secret.
    """
    kind = HTTPSConnection if scheme == "https" else HTTPConnection
    with closing(kind(host, port, timeout=10)) as line:
        line.connect()
        ends = ""
        if isinstance(line.sock, ssl.SSLSocket):
            certificate: Any = line.sock.getpeercert()
            begin, end = (
                ssl.cert_time_to_seconds(certificate[f"not{n}"]) for n in ("Before", "After")
            )
            if end - time() < (end - begin) * LATE:
                ends = certificate["notAfter"]
        sign = TimestampSigner(salt=DOCTOR).sign(settings.VERSION)
        line.request("GET", "/healthz", headers={DOCTOR: sign, "X-Forwarded-For": SPOOFED})
        text = line.getresponse().read()
    return (json.loads(text) if text.startswith(b"{") else None), ends


def judge(seen: dict[str, Any] | None, *, https: bool) -> Iterator[Finding]:
    """Compare what the web server sees of a visit with what it should see."""
    if seen is None:
        yield False, "Another program answers there, or a web server with other settings: restart."
        return
    problems = []
    if seen["version"] != settings.VERSION:
        problems.append(f"A web server is of version {seen['version']}: restart it.")
    if "host" not in seen:
        problems.append("The web server refuses the name: the proxy must pass on Host.")
    if https and not seen["https"]:
        problems.append("The proxy must set X-Forwarded-Proto: https, or pages redirect for ever.")
    if "address" not in seen:
        problems.append("KINGSCORE_PROXIES is more than the proxies that set X-Forwarded-For.")
    elif seen["address"] == SPOOFED:
        problems.append(
            "Limits count visitors by an address that they choose: the proxy must replace"
            " X-Forwarded-For, and KINGSCORE_PROXIES be the number of proxies."
        )
    elif settings.ALLAUTH_TRUSTED_PROXY_COUNT and not seen["forwarded"]:
        problems.append("The proxy must set X-Forwarded-For: all visitors look like one.")
    yield from ((False, problem) for problem in problems)
    if not problems:
        yield True, f"{settings.SITE_ADDRESS} is reached; this machine comes from {seen['address']}"


def examine_redirect(host: str) -> Iterator[Finding]:
    """See whether http:// leads to https://."""
    try:
        with closing(HTTPConnection(host, timeout=10)) as line:
            line.request("GET", "/")
            leads = line.getresponse().getheader("Location", "")
    except OSError as fault:
        leads = str(fault)
    if leads.startswith("https://"):
        yield True, "http:// leads to https://"
    else:
        yield False, f"http://{host}/ does not lead to https:// ({leads}): is port 80 open?"


EXAMINATIONS: dict[str, Callable[[str], Iterator[Finding]]] = {
    "Versions": examine_versions,
    "Settings": examine_settings,
    "Folder": examine_folder,
    "Clock": examine_clock,
    "Database": examine_database,
    "Backup": examine_backup,
    "Copy": examine_copy,
    "Broker": examine_broker,
    "Worker": examine_worker,
    "Mail": examine_mail,
    "Address": examine_address,
}


READ_ROWS = {"Backup", "Worker", "Mail"}
"""What cannot be examined without the database."""


class Command(BaseCommand):
    """`manage.py doctor [--mail-to ADDRESS] [REQUEST-ID [--log FILE]]`."""

    help = (
        "Examine the site: each line is right (✓), not set up (–), or says what to do (✗, exit"
        " code 1). With the id of a request, explain why it was refused or broke."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", nargs="?", metavar="REQUEST-ID")
        parser.add_argument(
            "--log",
            metavar="FILE",
            help="lines of the log, - from standard input; else the journal",
        )
        parser.add_argument(
            "--mail-to", default="", help="instead of the first account of the host"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        if options["request"]:
            self.explain(options["request"], options["log"])
            return
        owner = settings.DATA.stat().st_uid
        if owner != os.geteuid():
            raise CommandError(f"Run it as the user {user_of(owner)}, who owns {settings.DATA}.")
        # It would say again and again that the database is away.
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
        is_well, is_away = True, False
        for name, examine in EXAMINATIONS.items():
            if is_away and name in READ_ROWS:
                continue
            try:
                findings = list(examine(options["mail_to"]))
            except Exception as fault:  # noqa: BLE001 - whatever it is, the others are examined
                findings = [(False, f"{type(fault).__name__}: {fault}")]
            for number, (is_right, text) in enumerate(findings):
                is_well = is_well and is_right is not False
                is_away = is_away or (not is_right and text.startswith("database: "))
                self.stdout.write(f"{MARKS[is_right]} {'' if number else name:<9} {text}")
        if not is_well:
            sys.exit(1)

    def explain(self, id_: str, log: str | None) -> None:
        """Print what the log says of a request, and the sentence of each code."""
        if not ID.fullmatch(id_):
            raise CommandError("The id of a request has 8 to 64 letters and digits.")
        sentences, is_found, is_about = faults() | kinds_of_problems(), False, False
        for line in lines_of(log):
            # A traceback has lines of its own.
            if BEGINS.match(line):
                is_about = id_ in line
            if is_about:
                is_found = True
                self.stdout.write(line.rstrip())
                codes = CODES.search(line)
                for code in codes[1].split(", ") if codes else ():
                    sentence = sentences.get(code)
                    if sentence:
                        self.stdout.write(f"  {code}: {PARAMETER.sub('…', sentence)}")
        if not is_found:
            raise CommandError(f"The log says nothing of {id_}.")


def lines_of(log: str | None) -> Iterator[str]:
    """Yield lines of the log: of a file, of standard input, or of the journal."""
    if log == "-":
        yield from sys.stdin
    elif log:
        try:
            with Path(log).open(encoding="utf-8", errors="replace") as file:
                yield from file
        except OSError as error:
            raise CommandError(f"{log}: {error.strerror}") from error
    else:
        try:
            with subprocess.Popen(JOURNAL, stdout=subprocess.PIPE, text=True) as journal:
                yield from journal.stdout or ()
        except OSError as error:
            raise CommandError("There is no journal here: name the log by --log FILE.") from error
