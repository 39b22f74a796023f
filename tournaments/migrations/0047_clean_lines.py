"""Shown texts lose control characters, line breaks and what is invisible, as new ones do.

What the code of a game covers stays as it is: the entries of sheets and the rules of a game. So
does the audit.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import migrations, models

from tournaments.engine.rules.entries import clean_line, clean_lines
from tournaments.models.people import fold_name, plain_name

AT_ONCE = 2000
LONGEST = 80

TEXTS = {
    "Club": ["name"],
    "Event": ["name", "venue"],
    "Entrant": ["team", "represents"],
    "Ruling": ["reason"],
    "Confirmation": ["player"],
    "Notification": ["title"],
    "Email": ["subject"],
    "User": ["first_name", "last_name"],
    "PersonalToken": ["name"],
}
"""The shown texts of people, by model."""

NEEDED = {("Club", "name"), ("Event", "name"), ("Ruling", "reason"), ("PersonalToken", "name")}

Model = type[models.Model]


def in_batches(rows: Any, fields: Iterable[str]) -> Iterator[list[Any]]:
    """Yield rows with only these fields, in order of their keys."""
    last, rows = None, rows.order_by("pk").only("pk", *fields)
    while batch := list((rows if last is None else rows.filter(pk__gt=last))[:AT_ONCE]):
        yield batch
        last = batch[-1].pk


def clean_rows(rows: Any, fields: list[str], clean: Callable[[Any, str], Any]) -> None:
    """Store what `clean` makes of the fields of rows, where it is something else."""
    for batch in in_batches(rows, fields):
        changed = []
        for row in batch:
            values = {name: clean(row, name) for name in fields}
            if any(getattr(row, name) != value for name, value in values.items()):
                for name, value in values.items():
                    setattr(row, name, value)
                changed.append(row)
        rows.model.objects.bulk_update(changed, fields, batch_size=200)


def clean_players(names: list[str]) -> list[str]:
    """Return the names at a table, none of them empty, no two alike."""
    found: list[str] = []
    for seat, text in enumerate(names, 1):
        name = clean_line(text) or f"№ {seat}"
        while name in found:
            name = f"{name} ({seat})"
        found.append(name)
    return found


def clean_setup(setup: dict[str, Any] | None) -> dict[str, Any] | None:
    if not isinstance(setup, dict) or "players" not in setup:
        return setup
    texts = {name: clean_line(setup[name]) for name in ("title", "place") if name in setup}
    return {**setup, **texts, "players": clean_players(setup["players"])}


def clean_all(apps: Any, _editor: Any) -> None:
    def rows_of(name: str) -> Any:
        return apps.get_model("tournaments", name).objects.all()

    for model, fields in TEXTS.items():
        needed = {name for name in fields if (model, name) in NEEDED}

        def clean(row: Any, name: str, needed: set[str] = needed) -> str:
            longest = row._meta.get_field(name).max_length
            return clean_line(getattr(row, name))[:longest] or ("–" if name in needed else "")

        clean_rows(rows_of(model), fields, clean)
    clean_names_of_players(rows_of("Player"))
    clean_names_of_seasons(rows_of("Season"))
    for row in rows_of("HouseRuleset"):
        name = clean_line(row.name)[:LONGEST] or "–"
        document = clean_lines(row.document) | {"name": name}
        if (row.name, row.document) != (name, document):
            row.name, row.document = name, document
            row.save(update_fields=["name", "document"])
    for row in rows_of("Tournament").exclude(line_ups={}).only("line_ups"):
        line_ups = {
            number: {clean_line(team): keys for team, keys in teams.items()}
            for number, teams in row.line_ups.items()
        }
        if line_ups != row.line_ups:
            row.line_ups = line_ups
            row.save(update_fields=["line_ups"])
    clean_games(rows_of("Game"), rows_of("Revision"))


def clean_names_of_players(rows: Any) -> None:
    """Clean the names of players; of two that become one name in a club, one gets a number."""
    for batch in in_batches(rows.exclude(name=""), ["name", "name_key", "search_key", "club_id"]):
        for row in batch:
            name = clean_line(row.name)
            if name == row.name:
                continue
            name = name if any(map(str.isalnum, plain_name(name))) else f"№ {row.pk}"
            others = rows.filter(club_id=row.club_id).exclude(pk=row.pk)
            free, number = name, 1
            while others.filter(name_key=fold_name(free)).exists():
                number += 1
                free = f"{name[: LONGEST - 8]} ({number})"
            row.name, row.name_key, row.search_key = free, fold_name(free), plain_name(free)
            row.save(update_fields=["name", "name_key", "search_key"])


def clean_names_of_seasons(rows: Any) -> None:
    for row in rows:
        name = clean_line(row.name) or "–"
        if name == row.name:
            continue
        others = rows.filter(club_id=row.club_id).exclude(pk=row.pk)
        free, number = name, 1
        while others.filter(name=free).exists():
            number += 1
            free = f"{name[: LONGEST - 8]} ({number})"
        row.name = free
        row.save(update_fields=["name"])


def clean_games(games: Any, revisions: Any) -> None:
    """Clean the setups of games and who wrote them; codes of games do not cover these."""

    def of_game(row: Any, name: str) -> Any:
        value = getattr(row, name)
        if name in ("title", "place"):
            return clean_line(value)[:LONGEST]
        return clean_players(value) if name == "players" else [clean_line(each) for each in value]

    clean_rows(games, ["title", "place", "players", "resting"], of_game)

    def of_revision(row: Any, name: str) -> Any:
        value = getattr(row, name)
        if name in ("before", "body"):
            return clean_setup(value)
        return clean_line(value)[: row._meta.get_field(name).max_length]

    clean_rows(revisions.filter(kind="head"), ["before", "body", "author", "reason"], of_revision)
    written = revisions.exclude(kind="head").exclude(author="", reason="")
    clean_rows(written, ["author", "reason"], of_revision)


def clean_applications(apps: Any, _editor: Any) -> None:
    for row in apps.get_model("oauth2_provider", "Application").objects.all():
        name = clean_line(row.name)
        if name != row.name:
            row.name = name or "–"
            row.save(update_fields=["name"])


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0046_digests_of_imported_games"),
        ("oauth2_provider", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(clean_all, migrations.RunPython.noop),
        migrations.RunPython(clean_applications, migrations.RunPython.noop),
    ]
