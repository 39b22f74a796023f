import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import ROOT, migrated
from tests.services.backups.site import Site

UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service" and "@" not in unit.name]
LEAST_EXPOSED = 2.0


@pytest.fixture(scope="module")
def systemd():
    if found := shutil.which("systemd-analyze"):
        return found
    if os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") == "1":
        pytest.fail("no systemd-analyze, and KINGSCORE_TEST_REQUIRE_ALL=1 wants every test run")
    pytest.skip("no systemd-analyze on this machine")


@pytest.fixture
def units(tmp_path):
    python = str(Path(sys.executable))
    for unit in UNITS:
        text = unit.read_text().replace("/opt/kingscore/.venv/bin/python", python)
        (tmp_path / unit.name).write_text(text.replace("/opt/kingscore", str(ROOT)))
    return tmp_path


def value(unit, name):
    return re.search(rf"^{name}=(.*)$", unit.read_text(), re.MULTILINE)[1]


def test_units_are_what_systemd_understands(systemd, units):
    paths = sorted(map(str, units.iterdir()))

    done = subprocess.run(
        [systemd, "verify", "--man=no", *paths], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_units_give_no_more_than_is_needed(systemd, units):
    for unit in SERVICES:
        done = subprocess.run(
            [systemd, "security", "--offline=true", "--no-pager", str(units / unit.name)],
            capture_output=True,
            text=True,
            check=True,
        )

        exposed = re.search(r"exposure level for .*: ([\d.]+)", done.stdout)[1]
        assert float(exposed) < LEAST_EXPOSED


def test_units_share_what_is_kept_and_who_reads_it():
    kept = [
        [value(unit, name) for name in ("User", "Environment", "EnvironmentFile", "UMask")]
        for unit in SERVICES
    ]
    hidden = [value(unit, "InaccessiblePaths") for unit in SERVICES]

    assert (
        kept
        == [["kingscore", "KINGSCORE_DATA=/var/lib/kingscore", "-/etc/kingscore.env", "0077"]] * 2
    )
    assert hidden == ["-/opt/kingscore/.git"] * 2


def test_nightly_backup_makes_one(tmp_path):
    site = Site(tmp_path / "data")
    shutil.copytree(migrated(), site.folder)
    unit = next(unit for unit in SERVICES if "backup" in unit.name)
    folder = tmp_path / "backups"
    folder.mkdir()
    _, _, *words = shlex.split(value(unit, "ExecStart"))

    done = site.manage(*(word.replace("/var/lib/kingscore-backups", str(folder)) for word in words))

    assert done.returncode == 0, done.stderr
    assert [path.suffix for path in folder.iterdir()] == [".zip"]
