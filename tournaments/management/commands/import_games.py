"""Import `kingscore-game/1` records as past evenings of a club."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand
from django.utils import timezone

from tournaments.models import Club
from tournaments.services.audit import NOBODY
from tournaments.services.imports.files import FileRefused, ImportFault, PlanChanged
from tournaments.services.imports.records import (
    RecordsPlan,
    RecordsRequest,
    import_records,
    preview_records,
    record_files,
)
from tournaments.texts import messages

IT_IS_REFUSED = 1
IT_CANNOT_BE_READ = 2

KINDS = (".json", ".jsonl", ".zip")


class Command(BaseCommand):
    """`manage.py import_games CLUB FOLDER…`; exit status 0 imported, 1 refused, 2 not read."""

    help = "Take over games from kingscore-game/1 records into past evenings of a club."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("club", metavar="CLUB", help="the slug of the club")
        parser.add_argument("folders", metavar="FOLDER", nargs="+", help="a folder, or a file")
        parser.add_argument("--evening", default="Evening", help="where a record has no title")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *_args: object, **options: Any) -> None:
        """Import everything or nothing, and print the result."""
        club = Club.objects.filter(slug=options["club"]).first()
        if club is None:
            self._end(f"No club has the slug {options['club']!r}.", IT_IS_REFUSED)
        timezone.activate(club.zone)
        records = self._read(options["folders"], options["evening"])
        now = timezone.now()
        plan = preview_records(club, records, now=now)
        self._print(plan)
        if plan.wrong:
            self._end(f"Nothing was imported: {len(plan.wrong)} records are wrong.", IT_IS_REFUSED)
        if options["dry_run"]:
            self.stdout.write(f"{len(plan.to_write)} games would be imported.")
            return
        try:
            done = import_records(club.pk, records, plan.mark, NOBODY, at=now)
        except PlanChanged:
            self._end("Nothing was imported: the club has changed meanwhile.", IT_IS_REFUSED)
        self.stdout.write(f"{done.games} games imported, {done.players} players added.")

    def _read(self, folders: list[str], evening: str) -> RecordsRequest:
        try:
            paths = []
            for path in map(Path, folders):
                inside = (file for file in path.rglob("*") if file.suffix.lower() in KINDS)
                paths += sorted(inside) if path.is_dir() else [path]
            return RecordsRequest(
                record_files([(str(path), path.read_bytes()) for path in paths]), evening
            )
        except OSError as error:
            self._end(f"{error.filename}: {error.strerror}", IT_CANNOT_BE_READ)
        except FileRefused as refused:
            self._end(str(refused), IT_CANNOT_BE_READ)

    def _print(self, plan: RecordsPlan) -> None:
        for seen in plan.seen:
            if seen.there:
                self.stdout.write(f"{seen.file.name}: there already")
            elif seen.fits:
                place = f"{seen.evening}, {seen.day}, round {seen.round}, table {seen.table}"
                self.stdout.write(f"{seen.file.name}: {place}: {', '.join(map(str, seen.who))}")
            prefix = "" if seen.entry is None else f"entry {seen.entry}: "
            sentences = [
                prefix + messages.explain(problem, seen.typed) for problem in seen.problems
            ]
            for sentence in [*sentences, *map(_fault, seen.faults)]:
                self.stdout.write(f"{seen.file.name}: {sentence}")
        for name in plan.new_names:
            like = ", ".join(player.name for player in plan.book.like(name))
            self.stdout.write(f"new player: {name}" + (f" (there is {like})" if like else ""))

    def _end(self, why: str, status: int) -> NoReturn:
        self.stderr.write(why)
        sys.exit(status)


def _fault(fault: ImportFault) -> str:
    details = {
        name: ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        for name, value in fault.params.items()
    }
    text = ", ".join(f"{name}: {value}" for name, value in details.items())
    return " ".join(filter(None, [str(fault.code), fault.column, text and f"({text})"]))
