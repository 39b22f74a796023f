"""Writes the description of the API from its views, or says that the one kept is out of date."""

from argparse import ArgumentParser
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, no_translations

KEPT = Path(settings.BASE_DIR) / "tournaments" / "api" / "openapi.json"
CHANGELOG = Path(settings.BASE_DIR) / "docs" / "api-changelog.md"


class Command(BaseCommand):
    """`manage.py write_openapi`; with `--check` exit status 1 where something is to be done."""

    help = "Write tournaments/api/openapi.json, which is served at /api/v1/openapi.json."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="Change nothing; fail where the file is out of date or docs/api-changelog.md is"
            " silent about it.",
        )

    @no_translations
    def handle(self, *_: Any, **options: Any) -> None:
        text = described()
        if options["check"]:
            check(text)
        else:
            KEPT.write_text(text, encoding="utf-8")
            heading = f"## (a day) ({digest_of(text)})"
            self.stdout.write(f"{KEPT.name} is written; docs/{CHANGELOG.name}: {heading}")


def check(text: str) -> None:
    """Compare what is kept with the description as it is.

    Raises:
        CommandError: the file is out of date, or the changelog is silent about it.
    """
    if KEPT.read_text(encoding="utf-8") != text:
        raise CommandError(f"{KEPT.name} is out of date. Run manage.py write_openapi.")
    if digest_of(text) not in latest_heading(CHANGELOG.read_text(encoding="utf-8")):
        raise CommandError(
            f"The API is another one now: say in docs/{CHANGELOG.name} what has changed, under a"
            f" heading with ({digest_of(text)})."
        )


def described() -> str:
    """The description of the API as it is.

    Raises:
        CommandError: it lacks something, or is no OpenAPI.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "openapi.json"
        words = {"format": "openapi-json", "validate": True, "fail_on_warn": True}
        call_command("spectacular", file=str(file), **words)
        return file.read_text(encoding="utf-8") + "\n"


def digest_of(text: str) -> str:
    """What a heading of the changelog names the description by."""
    return sha256(text.encode()).hexdigest()[:12]


def latest_heading(changelog: str) -> str:
    """The first heading below the title."""
    return next((line for line in changelog.splitlines() if line.startswith("## ")), "")
