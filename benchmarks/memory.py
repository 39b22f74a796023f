"""The memory of a small site after an evening of use: `manage.py up` on SQLite, its own broker.

An owner of a club opens pages of the demo, a program asks the API, and documents are made. The
memory is the proportional set size (PSS) of all processes: what several share is counted once.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from tests.phones import CUT_OFF, Phone
from tests.servers import ROOT, environment_of, prepared, run_python
from tests.waiting import PATIENCE, wait_until

Memory = list[tuple[str, float]]
"""The names of processes, and their memory in MB."""

SIZES = {"tiny": {"pages": 20}, "usual": {"pages": 400}, "full": {"pages": 2000}}
FIRST_PAGES = 10
LINK = re.compile(r'(?:href|hx-get)="(/[^"#]*)"')
NOT_OPENED = re.compile(r"/static/|/accounts/|/events$")
API = [
    "clubs",
    "games",
    "rulesets",
    "ratings",
    "changes",
    "me",
    "tokens",
    "schemas",
    "openapi.json",
]
API_OF_CLUB = [
    "events",
    "seasons",
    "tournaments",
    "members",
    "players",
    "audit",
    "ratings",
    "records",
    "settings",
    "webhooks",
    "documents",
    "house-rules",
    "exports/games",
    "exports/ratings",
    "exports/entrants",
]
DOCUMENTS = ({"document": "sheets"}, {"document": "standings", "format": "xlsx"})

NAMES = {
    "management.supervisor": "supervisor",
    "gunicorn: master": "web server: first process",
    "gunicorn: worker": "web server: a process that answers",
    "celeryd": "worker with the clock",
}
"""Processes by a part of their command line; those of the web server change theirs."""

PREPARE = """
import json
from django.core.management import call_command
from django.test import Client
from tournaments.models import Club, Event, PersonalToken, User
call_command("seed_demo", "--once", verbosity=0)
user = User.objects.get(email="owner@example.org")
visitor = Client()
visitor.force_login(user)
token = PersonalToken.objects.create(user=user, name="a", scopes=["read", "direct", "manage"])[1]
print(json.dumps({
    "cookies": {name: each.value for name, each in visitor.cookies.items()},
    "token": token,
    "club": Club.objects.get().slug,
    "event": Event.objects.filter(tournament__state="finished").first().public_id,
}))
"""


def measure(pages: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="kingscore-memory-") as place:
        first, later = f"{place}/first", f"{place}/later"
        shutil.copytree(prepared(), first)
        environment = environment_of(first, DJANGO_SETTINGS_MODULE="kingscore.settings")
        demo = json.loads(run_python(PREPARE, environment).splitlines()[-1])
        shutil.copytree(first, later)
        # Modules that are compiled when they are imported leave holes behind.
        _after, used = in_use(first, demo, pages)
        yield Figure("all processes, of the first start of a version", total(used), "MB")
        after, used = in_use(later, demo, pages)
        yield Figure("all processes, after the first pages", total(after), "MB")
        yield Figure("all processes", total(used), "MB", "at most", 300)
        for name, megabytes in used:
            yield Figure(name, megabytes, "MB")


def in_use(folder: str, demo: dict[str, Any], pages: int) -> tuple[Memory, Memory]:
    """Return the memory of each process of a site after the first pages, and after many."""
    site = start(folder)
    try:
        port = port_of(folder)
        crawl(demo["cookies"], port, FIRST_PAGES)
        after = list(processes(site.pid))
        use(demo, port, pages)
        return after, list(processes(site.pid))
    finally:
        site.send_signal(signal.SIGTERM)
        site.wait(PATIENCE)


def total(memory: Memory) -> float:
    return sum(megabytes for _name, megabytes in memory)


def start(folder: str) -> "subprocess.Popen[bytes]":
    """Start the site, and return the process that supervises it."""
    compiled = str(Path(folder).parent / "compiled")
    with Path(folder, "log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "manage.py", "up", "--host", "127.0.0.1", "--port", "0"],
            cwd=ROOT,
            env=environment_of(
                folder,
                PYTHONUNBUFFERED="1",
                PYTHONPYCACHEPREFIX=compiled,
                # Empty is unset.
                PYTHONDONTWRITEBYTECODE="",
            ),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def port_of(folder: str) -> int:
    """Return the port of a site that has started."""
    log = Path(folder, "log")
    port = int(wait_until(lambda: re.search(r" is at http\S+:(\d+)/", log.read_text()))[1])
    wait_until(lambda: answers(port), said=log.read_text)
    return port


def answers(port: int) -> bool:
    """Return whether the web server has started."""
    try:
        return bool(Phone("127.0.0.1", port).ask("GET", "/healthz").status == 200)
    except CUT_OFF:
        return False


def use(demo: dict[str, Any], port: int, pages: int) -> None:
    """Use the site as an owner of its club, and as a program with the owner's token."""
    crawl(demo["cookies"], port, pages)
    call = Program(port, demo["token"])
    club = f"/api/v1/clubs/{demo['club']}/"
    for path in API:
        call("GET", f"/api/v1/{path}" + ("" if "." in path else "/"))
    for path in API_OF_CLUB:
        call("GET", f"{club}{path}/")
    for order in DOCUMENTS:
        made = json.loads(call("POST", f"{club}events/{demo['event']}/documents/", order))
        path = re.sub("^https?://[^/]*", "", made["address"])
        wait_until(lambda path=path: json.loads(call("GET", path))["state"] == "done")


def crawl(cookies: dict[str, str], port: int, pages: int) -> None:
    """Open pages, the nearest to the first page before others; each process gets its share."""
    # Two connections, which the processes of the web server share out.
    browsers = [Phone("127.0.0.1", port, cookies=dict(cookies)) for _ in range(2)]
    found = {"/": None}
    for number in range(pages):
        path = next(each for place, each in enumerate(found) if place == number)
        answer = browsers[number % 2].ask("GET", path)
        if "text/html" in answer.headers["Content-Type"]:
            links = (each for each in LINK.findall(answer.text) if not NOT_OPENED.search(each))
            found.update(dict.fromkeys(links))


class Program:
    """A program that calls the API."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.calls = 0

    def __call__(self, method: str, path: str, body: object = None) -> bytes:
        self.calls += 1
        headers = self.headers | {"Idempotency-Key": f"benchmark-{self.calls}"}
        self.connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status < 300, (path, answer.status, content)
        return content


def processes(pid: int) -> Iterator[tuple[str, float]]:
    """Yield the name and the PSS in MB of a process and of those below it."""
    place = Path("/proc", str(pid))
    lines = (place / "smaps_rollup").read_text().splitlines()
    # One that has just ended has none.
    for line in lines:
        if line.startswith("Pss:"):
            yield name_of((place / "cmdline").read_text()), int(line.split()[1]) / 1000
    for kid in (place / f"task/{pid}/children").read_text().split():
        yield from processes(int(kid))


def name_of(command: str) -> str:
    """Return the short name of a process of the site."""
    words = command.replace("\0", " ")
    return next((name for part, name in NAMES.items() if part in words), words)
