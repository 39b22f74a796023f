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
    "short secret": (
        {"KINGSCORE_SECRET_KEY": "s" * 31},
        "KINGSCORE_SECRET_KEY must have at least 32",
    ),
    "short old secret": (
        {"KINGSCORE_OLD_SECRETS": f"{'s' * 32}, abc"},
        "KINGSCORE_OLD_SECRETS must",
    ),
    "scheme of a host": ({"KINGSCORE_HOSTS": "https://king.lan"}, "KINGSCORE_HOSTS must have host"),
    "port of a host": ({"KINGSCORE_HOSTS": "king.lan, king.lan:8000"}, "KINGSCORE_HOSTS must have"),
    "hosts by semicolon": (
        {"KINGSCORE_HOSTS": "king.lan;king.org"},
        "KINGSCORE_HOSTS must have host",
    ),
    "address without scheme": ({"KINGSCORE_ADDRESS": "king.lan"}, "KINGSCORE_ADDRESS must read"),
    "path of the address": (
        {"KINGSCORE_ADDRESS": "http://king.lan/a/"},
        "KINGSCORE_ADDRESS must read",
    ),
    "plain address": (
        {"KINGSCORE_ADDRESS": "http://king.lan", "KINGSCORE_HTTPS": "1"},
        "no path, where KINGSCORE_HTTPS is on",
    ),
    "found nowhere": ({"KINGSCORE_FOUND_AT": "nowhere at all"}, "KINGSCORE_FOUND_AT must read"),
    "broker without scheme": (
        {"KINGSCORE_BROKER_URL": "localhost:6379"},
        "KINGSCORE_BROKER_URL must",
    ),
    "another broker": (
        {"KINGSCORE_BROKER_URL": "amqp://guest@king.lan"},
        "KINGSCORE_BROKER_URL must",
    ),
    "broker nowhere": (
        {"KINGSCORE_BROKER_URL": "redis://"},
        "KINGSCORE_BROKER_URL must read redis://",
    ),
    "guessed token": (
        {"KINGSCORE_METRICS_TOKEN": "x"},
        "KINGSCORE_METRICS_TOKEN must have at least",
    ),
    "no header": (
        {"KINGSCORE_METRICS_TOKEN": "sixteen or more, ş"},
        "KINGSCORE_METRICS_TOKEN must",
    ),
    "no process": ({"WEB_CONCURRENCY": "0"}, "WEB_CONCURRENCY must be from 1 to 64, not 0"),
    "no thread": ({"KINGSCORE_WEB_THREADS": "0"}, "KINGSCORE_WEB_THREADS must be from 1 to 8"),
    "64 threads": ({"KINGSCORE_WEB_THREADS": "64"}, "KINGSCORE_WEB_THREADS must be from 1 to 8"),
    "push without scheme": (
        {"KINGSCORE_PUSH_SERVICES": "push.lan"},
        "KINGSCORE_PUSH_SERVICES must read",
    ),
    "push everywhere": (
        {"KINGSCORE_PUSH_SERVICES": "https://*"},
        "KINGSCORE_PUSH_SERVICES must read",
    ),
    "no listening": (
        {"KINGSCORE_LISTEN_URL": "king.lan"},
        "KINGSCORE_LISTEN_URL must read postgresql",
    ),
    "no fonts": ({"KINGSCORE_FONTS": "/nowhere/at/all"}, "KINGSCORE_FONTS: there is no folder"),
    "misspelt mail": (
        {"KINGSCORE_EMAIL_URL": "smtp://a@b?from=a@b&tsl=0"},
        "KINGSCORE_EMAIL_URL must",
    ),
    "no mail port": ({"KINGSCORE_EMAIL_URL": "smtp://a@b:x"}, "KINGSCORE_EMAIL_URL must read"),
}


@pytest.mark.parametrize(("variables", "sentence"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_in_the_environment_is_told_in_one_line(monkeypatch, variables, sentence):
    with pytest.raises(ImproperlyConfigured) as refused:
        settings_with(monkeypatch, **variables)

    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


ADDRESSES = {
    "KINGSCORE_DATABASE_URL": "postgresql://king:{}@db.lan/king",
    "KINGSCORE_LISTEN_URL": "postgresql://king:{}@db.lan/king",
    "KINGSCORE_EMAIL_URL": "smtp://king:{}@mail.lan:587?from=king@club.org",
    "KINGSCORE_BROKER_URL": "redis://:{}@broker.lan:6379/0",
}


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("password", ["hid/den", "hid#den", "hid?den", "hid/d@en", "hid:den@x/"])
def test_password_that_is_not_escaped_is_refused_and_not_repeated(monkeypatch, name, password):
    """Else part of it would be taken for the host and be logged with each failed connection."""
    with pytest.raises(ImproperlyConfigured, match=name) as refused:
        settings_with(monkeypatch, **{name: ADDRESSES[name].format(password)})

    assert not re.search("hid|den", str(refused.value))


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
