"""Recompute an exported document without the database (`docs/verify.md`)."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.engine.documents.games import letters_of, parse_json
from tournaments.engine.documents.results import Verification, write_verification
from tournaments.engine.documents.tournaments import TOURNAMENT_FORMAT
from tournaments.engine.documents.verify import MOST_WORK, verify
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.management.records import add_files, answer_all
from tournaments.models import Tournament
from tournaments.queries.documents import verified_lines
from tournaments.services.checks.nights import compare_with_stored
from tournaments.texts.documents import ALL_AGREE, LEFT_OUT, SOME_DIFFER
from tournaments.texts.messages import explain


class Command(BaseCommand):
    """`manage.py verify FILE…`; exit status 0 all agrees, 1 something differs, 2 not read."""

    help = "Recompute exported documents, and say at each point whether it is as published."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_files(parser)
        parser.add_argument(
            "--stored", action="store_true", help="compare with what is stored here, too"
        )
        parser.add_argument(
            "--work",
            type=int,
            default=MOST_WORK,
            metavar="NUMBER",
            help="how much is done for a document, in entries of games (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="every point, one answer a line")

    def handle(self, *_args: object, **options: Any) -> None:
        """Verify each document, and exit with the worst status."""

        def answer(text: bytes) -> tuple[str, bool]:
            try:
                document = parse_json(text)
                verification = verify(document, options["work"])
                is_tournament = verification.document_format == TOURNAMENT_FORMAT
                if options["stored"] and is_tournament and not verification.problems:
                    rows = Tournament.objects.filter(slug=document["tournament"]["slug"])
                    stored = [
                        point
                        for row in rows.select_related("event")
                        for point in compare_with_stored(document, row, options["work"])
                    ]
                    verification = replace(verification, points=[*verification.points, *stored])
            except InvalidEntry as invalid:
                verification = Verification("", problems=invalid.problems)
            if options["json"]:
                return json.dumps(write_verification(verification)), verification.agrees
            return "\n".join(_lines(verification)), verification.agrees

        status = answer_all(options["files"], answer, self.stdout, self.stderr)
        self.stdout.flush()
        if status:
            sys.exit(status)


def _lines(verification: Verification) -> Iterator[str]:
    for problem in verification.problems:
        yield f"{problem.where or '–'}: {explain(problem)}"
    before = 0
    for line in verified_lines(verification):
        if line["round"] != before:
            yield f"Round {line['round']}"
            before = line["round"]
        indent = "  " if line["round"] else ""
        count = f" ({line['number']})" if line["number"] > 1 else ""
        where = f" – {line['where']}" if line["where"] else ""
        yield f"{indent}{line['what']}{count}: {line['text']}{where}"
    if verification.digest:
        yield f"Code: {letters_of(verification.digest)}"
    if not verification.is_whole:
        yield str(LEFT_OUT)
    if verification.points or verification.is_whole:
        yield str(ALL_AGREE if verification.agrees else SOME_DIFFER)
