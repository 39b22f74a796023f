"""The backup of each release is restored into this version, and everything in it is right."""

from pathlib import Path

import pytest

from tests.services.backups.site import Site, manifest_of, rows_in

RELEASES = sorted((Path(__file__).parent / "releases").glob("*.zip"))

COUNT = """
import json
from django.apps import apps
from tournaments.models import AuditEntry
from tournaments.queries.site import missing_columns, missing_migrations
tables = {model._meta.label_lower: model for model in apps.get_models(include_auto_created=True)}
rows = {name: tables[name]._base_manager.count() for name in NAMES if name in tables}
missing = [str(each) for each in missing_migrations() | missing_columns()]
lines = list(AuditEntry.objects.filter(pk__in=KEYS).order_by("pk").values(*COLUMNS))
told = {"rows": rows, "missing": missing, "lines": lines}
print(json.dumps(told, default=lambda moment: moment.isoformat()))
"""


def audit_in(backup):
    """The stored entries of the audit."""
    (table,) = (
        each for each in manifest_of(backup)["tables"] if each["name"] == "tournaments.auditrow"
    )
    rows = rows_in(backup)["rows/tournaments.auditrow.jsonl"]
    return [dict(zip(table["columns"], row, strict=True)) for row in rows]


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_backup_of_a_release_is_restored_and_migrated(release, tmp_path):
    site = Site(tmp_path)
    site.restore(release)
    kept = {table["name"]: table["rows"] for table in manifest_of(release)["tables"]}
    lines = audit_in(release)

    names = f"NAMES, KEYS, COLUMNS = {list(kept)}, {[each['id'] for each in lines]}, {[*lines[0]]}"
    found, look = site.look(first=f"{names}\n{COUNT}")

    assert found["missing"] == []
    assert found["lines"] == lines
    # Fewer than there were: a confirmation is an entry itself.
    assert found["rows"].pop("tournaments.auditrow") <= len(lines)
    # Ratings of 0.2.0 were in another order: a worker computes them again.
    found["rows"].pop("tournaments.ratingdue")
    # Each new table brings some of its own.
    grown = {name for name in ("auth.permission", "contenttypes.contenttype") if name in kept}
    assert all(found["rows"][name] >= kept[name] for name in grown)
    rest = found["rows"].keys() - grown
    assert {name: found["rows"][name] for name in rest} == {name: kept[name] for name in rest}
    assert found["rows"]["tournaments.game"] == len(look["exports"]["games"])
    assert look["caches"] == "every cache is what it is computed from\n"
