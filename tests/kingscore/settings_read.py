"""The settings and `manage.py` under an environment of the test's own."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def run_manage(data, *words, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("KINGSCORE_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "manage.py", *words],
        cwd=ROOT,
        env={**kept, "KINGSCORE_DATA": str(data), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def settings_with(monkeypatch, **said):
    """Return the settings under exactly this environment."""
    with monkeypatch.context() as environment:
        for name in [name for name in os.environ if name.startswith(("KINGSCORE_", "WEB_"))]:
            environment.delenv(name)
        for name, value in {"KINGSCORE_SECRET_KEY": "k" * 32, **said}.items():
            environment.setenv(name, value)
        found = runpy.run_path(str(ROOT / "kingscore" / "settings.py"))
    return {
        name: value for name, value in found.items() if name.isupper() and name != "ENVIRONMENT"
    }
