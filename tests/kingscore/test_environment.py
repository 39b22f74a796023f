import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tests.kingscore.settings_read import run_manage, settings_with

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "kingscore" / "settings.py"
# Shown to visitors, who run them elsewhere.
PROGRAMS = ROOT / "tournaments" / "api" / "reference" / "programs"
TABLE = ROOT / "deploy" / "README.md"
ROW = re.compile(r"^\| `([A-Z_]+)` \| .+ \| .+ \|$", re.MULTILINE)
# These tell others something, and ask nothing.
TELLING = re.compile(
    r"""environ\.setdefault\("|environ\["\w+"\] = |environ \| \{|posix_spawn\(.* os\.environ,"""
)


def test_table_has_every_variable_that_the_settings_read():
    explained = ROW.findall(TABLE.read_text())

    assert sorted(explained) == sorted(settings.ENVIRONMENT.names)


MISTAKES = {
    "unknown": ({"KINGSCORE_HOST": "king.lan"}, "KINGSCORE_HOST is not a setting. Did you mean"),
    "no number": ({"KINGSCORE_PROXIES": "two"}, "KINGSCORE_PROXIES must be a whole number"),
    "negative": ({"KINGSCORE_SLOW_QUERY_MS": "-1"}, "KINGSCORE_SLOW_QUERY_MS must be a whole"),
    "no switch": ({"KINGSCORE_HTTPS": "ture"}, "KINGSCORE_HTTPS must be 1 or 0"),
    "no format": ({"KINGSCORE_LOG_FORMAT": "xml"}, "KINGSCORE_LOG_FORMAT must be text or json"),
    "no zone": ({"KINGSCORE_TIME_ZONE": "Istanbul"}, "KINGSCORE_TIME_ZONE must be a time zone"),
    "no folder": ({"KINGSCORE_DATA": "/nowhere/at/all"}, "there is no folder /nowhere/at/all"),
    "no port": ({"KINGSCORE_DATABASE_URL": "postgresql://h:x/k"}, "KINGSCORE_DATABASE_URL must"),
    "no such replica": (
        {"KINGSCORE_DATABASE_URL": "postgresql://h/k", "KINGSCORE_REPLICA_URL": "postgresql://h"},
        "KINGSCORE_REPLICA_URL must read",
    ),
    "replica alone": ({"KINGSCORE_REPLICA_URL": "postgresql://h/k"}, "KINGSCORE_REPLICA_URL needs"),
    "no mail port": ({"KINGSCORE_EMAIL_URL": "smtp://a@b:x"}, "KINGSCORE_EMAIL_URL must read"),
}


@pytest.mark.parametrize(("variables", "sentence"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_in_the_environment_is_told_in_one_line(monkeypatch, variables, sentence):
    with pytest.raises(ImproperlyConfigured) as refused:
        settings_with(monkeypatch, **variables)

    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_check_shows_a_mistake_without_a_traceback_and_makes_no_folder(tmp_path):
    named = tmp_path / "data"

    refused = run_manage(named, "check")
    assert refused.returncode == 1
    assert str(named) in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not named.exists()


def test_environment_is_read_in_the_settings_only():
    sources = [ROOT / "manage.py", *(ROOT / "kingscore").rglob("*.py")]
    sources += (ROOT / "tournaments").rglob("*.py")

    lines = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources
        if path != SETTINGS and path.parent != PROGRAMS
        for line in path.read_text().splitlines()
        if re.search(r"\benviron\b|getenv", line.partition("#")[0].replace('"""', ""))
    ]

    assert [line for line in lines if not TELLING.search(line)] == []
