"""Lighthouse's scores of pages on a phone, of 100.

Lighthouse comes from npm and needs Node 18.20 or newer and Chromium.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.figures import Figure
from tests.servers import prepared, serve

SIZES = {"tiny": {"pages": 1}, "usual": {"pages": 9}, "full": {"pages": 9}}
LIGHTHOUSE = "lighthouse@12.8.2"
"""The last that runs on Node 20."""
BROWSERS = ("chromium", "chromium-headless-shell", "google-chrome")
SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
)
PATIENCE = 300
BACK = "bf-cache"
"""Whether the browser keeps the page for going back: without weight, but felt."""
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")

MAKE_PAGES = """
import json
from django.core.management import call_command
from django.utils import timezone
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, SetupFactory
from tournaments.models import Club, Player, Tournament
from tournaments.web.base.phone import address
call_command("seed_demo", "--once", verbosity=0)
Club.objects.update(published=True)
begun, finished = (
    GameFactory(head=SetupFactory(players=list(NAMES)), entries=entries)
    for entries in (WHOLE_GAME[:7], WHOLE_GAME)
)
at = {
    row.state: f"/clubs/{row.event.club.slug}/tournaments/{row.slug}/"
    for row in Tournament.objects.select_related("event__club").order_by("pk")
}
player = Player.objects.filter(club__published=True, seats__game__result__isnull=False).first()
print(json.dumps({
    "start page": "/",
    "public club": f"/clubs/{player.club.slug}/",
    "player": f"/clubs/{player.club.slug}/players/{player.public_id}/",
    "tournament before": at["registration"],
    "tournament during": at["running"],
    "tournament after": at["finished"],
    "its standings": f"{at['finished']}standings/",
    "table page, seven deals": address(begun, "write"),
    "finished game, followed": address(finished, "follow"),
}))
"""


def measure(pages: int) -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-lighthouse-") as folder,
        serve(folder, ready=prepared()) as server,
    ):
        addresses = json.loads(server.run_python(MAKE_PAGES).splitlines()[-1])
        for name, path in list(addresses.items())[:pages]:
            yield from scores(name, f"http://localhost:{server.port}{path}")


def scores(name: str, address: str) -> Iterator[Figure]:
    """Return a page's score in each category, with the audits that cost points."""
    report = json.loads(run(["npx", "--yes", LIGHTHOUSE, address]))
    for category in (report["categories"][each] for each in CATEGORIES):
        lost = [
            each["id"]
            for each in category["auditRefs"]
            if (each["weight"] or each["id"] == BACK) and fails(report["audits"][each["id"]])
        ]
        yield Figure(f"{name}: {category['title']}", 100 * category["score"], note=", ".join(lost))


def fails(audit: Mapping[str, Any]) -> bool:
    """Whether an audit that applies to the page found something."""
    return audit["score"] is not None and audit["score"] < 0.9


def run(command: Sequence[str]) -> str:
    """Return the report of one run of Lighthouse."""
    path = next(filter(None, map(shutil.which, BROWSERS)))
    done = subprocess.run(
        [
            *command, "--quiet", "--output=json", f"--chrome-flags={SWITCHES}",
            f"--only-categories={','.join(CATEGORIES)}",
        ],
        env=os.environ | {"CHROME_PATH": path},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout
