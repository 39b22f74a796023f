"""The description of the API, in a folder where the generators put what they make of it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers import ROOT
from tests.waiting import PATIENCE
from tournaments.api.reference.views import content

HERE = Path(__file__).parent
BIN = ROOT / ".venv-clients" / "bin"
SCRIPTS = HERE / "node_modules" / ".bin"
# Nothing is fetched from Go's registry: the folder `go` has what the client imports.
GO = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
QUIET = {"NO_COLOR": "1", "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clients")
    (folder / "openapi.json").write_bytes(content()[0])
    for name in ("evening.py", "evening.ts", "tsconfig.json", "package.json"):
        shutil.copy(HERE / name, folder)
    (folder / "node_modules").symlink_to(HERE / "node_modules")
    return folder


@pytest.fixture(scope="session")
def run(folder):
    """Run a program of the generators' environment; return what it printed."""

    def run(program, *words):
        done = subprocess.run(
            [program, *words],
            cwd=folder,
            env={**os.environ, **QUIET, **GO, "PATH": f"{BIN}:{SCRIPTS}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-10_000:]
        return done.stdout

    return run
