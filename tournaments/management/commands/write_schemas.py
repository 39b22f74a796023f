"""Writes the JSON Schemas of records that are built from the engine's tables."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

import tournaments.engine
from tournaments.engine.record_schemas import SCHEMAS
from tournaments.engine.record_shapes import schema_text

FOLDER = Path(tournaments.engine.__file__).parent / "schemas"


class Command(BaseCommand):
    """Writes or checks the schemas that follow from the tables."""

    help = "Write the JSON Schemas of records to tournaments/engine/schemas/."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; fail where a file is out of date."
        )
        parser.add_argument("--to", type=Path, default=FOLDER, help="Another folder to write to.")

    def handle(self, *_: Any, **options: Any) -> None:
        texts = {options["to"] / name: schema_text(build()) for name, build in SCHEMAS.items()}
        stale = [path for path, text in texts.items() if not _holds(path, text)]
        if not options["check"]:
            for path in stale:
                path.write_text(texts[path], encoding="utf-8")
                self.stdout.write(f"{path.name}: written")
        elif stale:
            names = ", ".join(path.name for path in stale)
            raise CommandError(f"Out of date: {names}. Run manage.py write_schemas.")


def _holds(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text
