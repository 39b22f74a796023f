"""Write the listing of the API's operations and fields, or check that it is up to date."""

import json
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, no_translations
from django.http import HttpRequest
from django.urls import resolve, reverse

LISTING = Path(settings.BASE_DIR) / "docs" / "api-listing.txt"
CHANGELOG = Path(settings.BASE_DIR) / "docs" / "api-changelog.md"

Json = dict[str, Any]

TEXTS = frozenset({"description", "summary", "title", "example", "examples", "x-displayName"})
MOST_NAMED = 12
NAMED = ("$defs", "properties")
"""Maps from a name to a schema."""


class Command(BaseCommand):
    """`manage.py list_api`; with `--check` exit status 1 if the API differs."""

    help = "Write docs/api-listing.txt from the views of the API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="Change nothing; fail where the listing is out of date or docs/api-changelog.md"
            " does not name it.",
        )

    @no_translations
    def handle(self, *_: Any, **options: Any) -> None:
        request = HttpRequest()
        request.method = "GET"
        served = resolve(reverse("api:openapi")).func(request)
        text = listing(json.loads(served.content))
        heading = f"({sha256(text.encode()).hexdigest()[:12]})"
        if options["check"]:
            check(LISTING.read_text(encoding="utf-8"), text, heading)
        else:
            lines = note_changes(LISTING.read_text(encoding="utf-8"), text, heading)
            LISTING.write_text(text, encoding="utf-8")
            self.stdout.write("\n".join([f"docs/{CHANGELOG.name}: {heading}", *lines]))


def note_changes(listed: str, text: str, heading: str) -> list[str]:
    """Put the digest into the newest heading of the changelog, and the changes at its end."""
    before, now = _parts(listed), _parts(text)
    added, removed = _names(now) - _names(before), _names(before) - _names(now)
    # Of what has changed only the path or schema: a field of all entries is in dozens of parts.
    changed = {f"`{name.strip('`').split()[0]}`" for name in _names(now - before) - added}
    kinds = {"Added": added, "Changed": changed, "Removed": removed}
    lines = []
    for kind, names in kinds.items():
        more = len(names) - MOST_NAMED
        text = ", ".join(sorted(names)[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        if names:
            lines.append(f"- {kind}: {text}.")
    start, mark, rest = CHANGELOG.read_text(encoding="utf-8").partition("\n## ")
    title, _, body = rest.partition("\n")
    newest, next_mark, older = body.partition("\n## ")
    title = re.sub(r"\([0-9a-f]{12}\)", heading, title)
    newest = "\n".join([newest.rstrip("\n"), *lines]) + "\n"
    CHANGELOG.write_text(f"{start}{mark}{title}\n{newest}{next_mark}{older}", encoding="utf-8")
    return lines


def _names(parts: set[str]) -> set[str]:
    names = (part.partition("#")[0].split() for part in parts)
    return {f"`{' '.join(words)}`" for words in names if len(words) > 1}


def check(listed: str, text: str, heading: str) -> None:
    """Compare the stored listing with that of the API.

    Raises: CommandError: they differ, or the changelog does not name the listing.
    """
    before, now = _parts(listed), _parts(text)
    changes = [f"- {part}" for part in before - now] + [f"+ {part}" for part in now - before]
    if changes:
        details = "\n".join(
            sorted(changes, key=lambda line: (line[2:].split("#")[0], line[0] == "+"))
        )
        raise CommandError(f"The API has changed. If so meant, run manage.py list_api.\n{details}")
    newest = CHANGELOG.read_text(encoding="utf-8").partition("\n## ")[2].partition("\n")[0]
    if heading not in newest:
        raise CommandError(f"docs/{CHANGELOG.name} lacks a heading with {heading} at its top.")


def _parts(listed: str) -> set[str]:
    lines = (line.partition(": ") for line in listed.splitlines())
    return {f"{name} {word}" for name, _, words in lines for word in words.split(" ")}


def listing(described: Json) -> str:
    """List paths and schemas, one per line, with digests of their parts without texts."""
    components = described["components"]
    shared = components["parameters"]
    usual = described["security"]
    lines = {
        path: _operations(methods, shared, usual) for path, methods in described["paths"].items()
    }
    schemas = components["schemas"]
    # One line of all: they differ only in their rows.
    pages = {name: schema for name, schema in schemas.items() if name.startswith("Paginated")}
    lines["pages"] = _digests(pages)
    lines |= {name: _schema(schema) for name, schema in schemas.items() if name not in pages}
    lines |= {
        kind: _digests(schema)
        for kind, schema in components.items()
        if kind not in {"schemas", "examples"}
    }
    return "".join(f"{name}: {' '.join(sorted(lines[name]))}\n" for name in sorted(lines))


def _operations(methods: Json, shared: Json, usual: Json) -> Iterator[str]:
    for method, operation in methods.items():
        answers = operation["responses"]
        parameters = [
            shared[parameter["$ref"].rpartition("/")[2]] if "$ref" in parameter else parameter
            for parameter in operation["parameters"]
        ]
        parts = {
            "security": operation.get("security", usual),
            "body": operation.get("requestBody"),
            "refusals": {status: answers[status] for status in answers if status >= "400"},
            **{status: answers[status] for status in answers if status < "400"},
            **{parameter["name"]: parameter for parameter in parameters},
        }
        yield f"{method}={operation['operationId']}"
        yield from _digests({f"{method}.{name}": part for name, part in parts.items()})


def _schema(schema: Json) -> Iterator[str]:
    fields = {f"${name}": definition for name, definition in schema.get("$defs", {}).items()}
    fields |= schema.get("properties", {})
    rest = {key: value for key, value in schema.items() if key not in {*NAMED, "enum"}}
    yield from (str(value) for value in schema.get("enum", ()))
    yield from _digests({**fields, "": rest})


def _digests(parts: Json) -> Iterator[str]:
    texts = {name: json.dumps(_without_texts(part), sort_keys=True) for name, part in parts.items()}
    yield from (f"{name}#{sha256(text.encode()).hexdigest()[:6]}" for name, text in texts.items())


def _without_texts(node: Any, *, named: bool = False) -> Any:
    if isinstance(node, list):
        return [_without_texts(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_texts(value, named=key in NAMED and not named)
        for key, value in node.items()
        if named or key not in TEXTS
    }
