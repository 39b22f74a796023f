"""Check and score game records: one result a line, or the sheet as text (`docs/records.md` §1)."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.engine.documents.records import Reading, parse_json, read_game, write_result
from tournaments.engine.rules.problems import InvalidEntry
from tournaments.reports.text_sheet import draw_sheet

STDIN = "-"
SOME_GAMES_HAVE_PROBLEMS = 1
A_FILE_CANNOT_BE_READ = 2


class Command(BaseCommand):
    """`manage.py score FILE…`; exit status 0 valid, 1 problems, 2 a file cannot be read."""

    help = "Check and score kingscore-game/1 records, one result a line."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="“-” is standard input")
        parser.add_argument("--table", action="store_true", help="the scoresheet as text")

    def handle(self, *_args: object, **options: Any) -> None:
        """Score every game of every file, and exit with the worst status."""
        status = 0
        for file in options["files"]:
            try:
                text = _read(file)
            except OSError as error:
                self.stderr.write(f"{file}: {error.strerror}")
                status = A_FILE_CANNOT_BE_READ
                continue
            for reading in _read_games(file, text):
                self.stdout.write(self._show(reading, table=options["table"]))
                if reading.problems:
                    status = max(status, SOME_GAMES_HAVE_PROBLEMS)
        self.stdout.flush()
        if status:
            sys.exit(status)

    def _show(self, reading: Reading, *, table: bool) -> str:
        if not table:
            return json.dumps(write_result(reading))
        # A terminal may lack ♠ and −, and a bad record may contain half a character.
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        return draw_sheet(reading).encode(encoding, "replace").decode(encoding)


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()


def _read_games(file: str, text: bytes) -> Iterator[Reading]:
    """Yield one game per file, or one per line; standard input may be either."""
    lines = [line for line in text.split(b"\n") if line.strip()]
    if file.endswith(".jsonl") or (file == STDIN and _holds_a_game_a_line(text, lines)):
        yield from map(_read_text, lines)
    else:
        yield _read_text(text)


def _holds_a_game_a_line(text: bytes, lines: Sequence[bytes]) -> bool:
    """Return whether a text is no document, but some line of it is; other lines may be bad."""
    return (
        len(lines) > 1
        and _parse(text) is None
        and any("format" in (_parse(line) or {}) for line in lines)
    )


def _parse(text: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a text, or None."""
    try:
        document = parse_json(text)
    except InvalidEntry:
        return None
    return document if isinstance(document, dict) else None


def _read_text(text: bytes) -> Reading:
    try:
        return read_game(parse_json(text))
    except InvalidEntry as error:
        return Reading(None, problems=error.problems)
