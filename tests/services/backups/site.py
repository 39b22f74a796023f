"""A site on a folder, with something in every table, and what is seen of it all.

`python -m tests.services.backups.site FILE` writes a backup of one, to be kept for a release.
"""

import json
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.servers import READ_SHEETS, ROOT, environment_of, run_python
from tests.waiting import PATIENCE

MAKE = """
import json
from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, GamePhotoFactory
from tests.kept_sums import keep_sums
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.web.access_world import make_world
from tournaments.models import ChangeFeed, Club, DealReview, Player, SavedGame, Tournament, User
from tournaments.models.tournaments import UnusedCard
from tournaments.services.ratings.computing import rebuild_ratings
whole_tournament()
# Some lines of the audit have their number in the feed, others wait for it.
ChangeFeed.number_new_lines()
# The world has one of the same name.
Club.objects.update(slug="whole")
world = make_world()
game = GameFactory(entries=WHOLE_GAME)
GamePhotoFactory(game=game)
SavedGame.objects.create(game=game, user=User.objects.first(), generation=1)
DealReview.objects.create(game=game, kind="confirmed", position=0, revision=1, seat=1, at=EVENING)
row = Tournament.objects.first()
UnusedCard.objects.create(tournament=row, round=1, number=9, public_id="card-of-nobody")
# The highest key of a table belongs to nobody any more.
ClubFactory(slug="gone").delete()
rebuild_ratings()
for player in Player.objects.all():
    keep_sums(player)
print(json.dumps({"right": world.right, "wrong": world.wrong}))
"""

LOOK = """
import json
from io import StringIO
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tournaments.engine.documents.tournaments import write_tournament
from tournaments.models import Game, Player, Tournament
from tournaments.queries.sheets import load_sheets
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY
from tournaments.services.people.export import export_player
with transaction.atomic():
    told = {
        "tournaments": [
            json.loads(write_tournament(tournament_document(each)))
            for each in Tournament.objects.order_by("pk")
        ],
        "players": [
            json.load(export_player(pk, NOBODY, at=EVENING))
            for pk in Player.objects.present().order_by("pk")
            .values_list("pk", flat=True)
        ],
        "games": [sheet.record for sheet in load_sheets(Game.objects.order_by("pk"))],
    }
    told["next club"] = ClubFactory().pk
    # Each export is a line in the audit, and would stand in the next.
    transaction.set_rollback(True)
said = StringIO()
try:
    call_command("check_caches", stdout=said)
except CommandError as error:
    said.write(str(error))
visitor = Client(headers={"host": "localhost"})
answered = [visitor.get(path).status_code for path in PATHS]
print(json.dumps({"exports": told, "caches": said.getvalue(), "answered": answered}))
"""
"""One program for all of it: each takes a second to start."""


@dataclass(frozen=True)
class Site:
    """The data of a site: a folder, or a database of PostgreSQL beside it."""

    folder: Path
    database_url: str | None = None

    @property
    def environment(self):
        own = {"KINGSCORE_DATABASE_URL": self.database_url} if self.database_url else {}
        return environment_of(self.folder, DJANGO_SETTINGS_MODULE="kingscore.settings", **own)

    def manage(self, *words, **more):
        return subprocess.run(
            self.words(*words),
            cwd=ROOT,
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def words(self, *words):
        return [sys.executable, "manage.py", *map(str, words)]

    def backup(self, path):
        done = self.manage("backup", path)
        assert done.returncode == 0, done.stderr
        return path

    def restore(self, path):
        done = self.manage("restore", path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run_python(self, code):
        return run_python(code, self.environment)

    def sheets(self):
        return json.loads(self.run_python(READ_SHEETS))

    def look(self, paths=(), first=""):
        """What the site shows, and before it what some code of one's own prints in a line."""
        told = self.run_python(f"{first}\nPATHS = {list(paths)}\n{LOOK}")
        return [*map(json.loads, told.splitlines())]


def rows_in(path):
    """The rows of each table in a backup, with objects in no order of their own."""
    with zipfile.ZipFile(path) as archive:
        return {
            name: [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
            if name.startswith("rows/")
        }


def manifest_of(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json"))


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        made = Site(Path(folder))
        assert made.manage("migrate", "--verbosity", "0").returncode == 0
        made.run_python(MAKE)
        made.backup(Path(sys.argv[1]).absolute())
