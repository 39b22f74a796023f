"""The backup of each release is restored into this version, and everything in it is right."""

import json
from pathlib import Path

import pytest

from tests.services.backups.site import Site, manifest_of

RELEASES = sorted((Path(__file__).parent / "releases").glob("*.zip"))

COUNT = """
import json
from django.apps import apps
from tournaments.queries.site import missing_columns, missing_migrations
tables = {model._meta.label_lower: model for model in apps.get_models(include_auto_created=True)}
rows = {name: tables[name]._base_manager.count() for name in NAMES if name in tables}
missing = [str(each) for each in missing_migrations() | missing_columns()]
print(json.dumps({"rows": rows, "missing": missing}))
"""


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_backup_of_a_release_is_restored_and_migrated(release, tmp_path):
    site = Site(tmp_path)
    site.restore(release)
    kept = {table["name"]: table["rows"] for table in manifest_of(release)["tables"]}

    found = json.loads(site.run_python(f"NAMES = {list(kept)}\n{COUNT}"))
    look = site.look()

    assert found["missing"] == []
    # Each new table brings some of its own.
    grown = {name for name in ("auth.permission", "contenttypes.contenttype") if name in kept}
    assert all(found["rows"][name] >= kept[name] for name in grown)
    rest = found["rows"].keys() - grown
    assert {name: found["rows"][name] for name in rest} == {name: kept[name] for name in rest}
    assert found["rows"]["tournaments.game"] == len(look["exports"]["games"])
    assert look["caches"] == "every cache is what it is computed from\n"
