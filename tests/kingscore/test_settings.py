import json
import logging
import os
import re
import runpy
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.utils import ConnectionHandler

from kingscore.environment import allowed_hosts, postgresql, site_address, smtp, sqlite
from kingscore.observing.logs import DiscreetFormatter
from kingscore.secret import kept_secrets
from tests.factories import GameFactory
from tests.servers import ROOT
from tests.waiting import PATIENCE
from tournaments.models import Game, Table, fields

PRODUCTION = {"KINGSCORE_HTTPS": "1", "KINGSCORE_HOSTS": "king.example.org"}


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
    with monkeypatch.context() as environment:
        for name in [name for name in os.environ if name.startswith(("KINGSCORE_", "WEB_"))]:
            environment.delenv(name)
        for name, value in {"KINGSCORE_SECRET_KEY": "k" * 32, **said}.items():
            environment.setenv(name, value)
        found = runpy.run_path(str(ROOT / "kingscore" / "settings.py"))
    return {
        name: value for name, value in found.items() if name.isupper() and name != "ENVIRONMENT"
    }


def test_postgresql_address_is_taken_apart():
    database = postgresql("postgresql://club:p%40ss@db.lan:5433/king?sslmode=require")

    pool = database["OPTIONS"].pop("pool")
    assert pool["max_size"] >= 4
    assert database == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "king",
        "USER": "club",
        "PASSWORD": "p@ss",
        "HOST": "db.lan",
        "PORT": "5433",
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"sslmode": "require"},
    }


def test_other_addresses_of_databases_and_mail_servers_are_refused():
    for url in ("mysql://club@db.lan/king", "postgresql://db.lan", "king"):
        with pytest.raises(ImproperlyConfigured, match="KINGSCORE_DATABASE_URL"):
            postgresql(url)
    for url in ("http://king@club.org", "smtp://?from=a@b.c", "smtp://mail.lan"):
        with pytest.raises(ImproperlyConfigured, match="KINGSCORE_EMAIL_URL"):
            smtp(url)


def test_secret_is_one_for_all_who_ask_at_once_and_only_the_owner_reads_it(tmp_path):
    path = tmp_path / "secret-key"

    def ask(_number):
        return kept_secrets(path, "", tmp_path / "db.sqlite3")

    with ThreadPoolExecutor(16) as pool:
        secrets = {secret for found in pool.map(ask, range(64)) for secret in found}

    assert len(secrets) == 1
    assert len(secrets.pop()) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


def test_secret_that_is_damaged_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "secret-key"

    for content in (b"", b"\n", b"x" * 31 + b"\n", b"\0" * 64, b"\xff" * 64):
        path.write_bytes(content)
        with pytest.raises(ImproperlyConfigured, match=f"unzip -p BACKUP secret-key > {path}"):
            kept_secrets(path, "", tmp_path / "db.sqlite3")
        assert path.read_bytes() == content
    with pytest.raises(ImproperlyConfigured, match="no usable secret"):
        kept_secrets(tmp_path, "", tmp_path / "db.sqlite3")


@pytest.mark.django_db(transaction=True)
def test_missing_secret_is_made_beside_an_empty_database_only(tmp_path):
    path = tmp_path / "secret-key"
    described = connection.settings_dict
    own_url = os.environ.get("KINGSCORE_DATABASE_URL", "")
    url = urlunsplit(urlsplit(own_url)._replace(path=f"/{described['NAME']}")) if own_url else ""
    GameFactory()

    with pytest.raises(ImproperlyConfigured, match="is missing, and the database has data"):
        kept_secrets(path, url, Path(described["NAME"]))
    assert not path.exists()

    Game.objects.all().delete()
    Table.objects.all().delete()
    assert kept_secrets(path, url, Path(described["NAME"])) == [path.read_text()]


def test_missing_secret_is_not_made_where_the_database_cannot_be_asked(tmp_path):
    path, database = tmp_path / "secret-key", tmp_path / "db.sqlite3"
    database.write_bytes(b"no database" * 100)
    nobody = "postgresql://king:pass-word@127.0.0.1:1/king"

    for url in ("", nobody):
        with pytest.raises(ImproperlyConfigured, match="whether it has data") as refused:
            kept_secrets(path, url, database)
        assert "pass-word" not in str(refused.value)
    assert not path.exists()


@pytest.mark.django_db
def test_sqlite_keeps_what_was_answered_through_a_power_cut(tmp_path):
    # A connection of its own, so that this is told on PostgreSQL, too.
    described = ConnectionHandler({"default": sqlite(tmp_path / "db.sqlite3")})
    connection = described["default"]

    with connection.cursor() as cursor:
        found = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "busy_timeout")
        }
    connection.close()

    # 2 is FULL.
    assert found == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 20_000}
    assert connection.transaction_mode == "IMMEDIATE"


def test_log_keeps_the_secret_of_an_address():
    for kind in ("play", "follow", "take", "reports"):
        secret = fields.derive(kind, "k7f3q", 1)
        path = f"/{kind}/k7f3q/{secret}"
        fault = ValueError, ValueError(f"no page at {path}/deal/"), None
        record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "Not Found: %s", (path,), fault)

        line = DiscreetFormatter().format(record)

        assert secret not in line
        assert f"Not Found: /{kind}/k7f3q/…\n" in line
        # What an exception says may be about somebody.
        assert line.endswith("\nValueError")


def test_every_log_line_goes_through_the_discreet_formatter(client, db):
    secret = fields.derive("play", "nobody", 1)
    loggers = [
        logging.getLogger(name) for name in ("", "django", "django.request", "django.server")
    ]
    handlers = [handler for logger in loggers for handler in logger.handlers]

    assert client.get(f"/play/nobody/{secret}/").status_code == 404

    ours = [handler for handler in handlers if type(handler) is logging.StreamHandler]
    assert ours
    assert {type(handler.formatter) for handler in ours} == {DiscreetFormatter}


def test_variable_that_says_nothing_is_as_if_it_were_not_there(monkeypatch):
    named = settings.ENVIRONMENT.names - {"KINGSCORE_SECRET_KEY"}

    assert len(named) >= 15
    unsaid = settings_with(monkeypatch)
    assert settings_with(monkeypatch, **dict.fromkeys(named, "")) == unsaid


def test_host_names_to_answer_to():
    for said, address, https, found in (
        ([], "", False, ["*"]),
        (["king.lan", "10.0.0.7"], "", False, ["king.lan", "10.0.0.7"]),
        (["king.example.org"], "", True, ["king.example.org"]),
        # Over HTTPS nobody is answered who asks for a name that was not said.
        ([], "", True, []),
        (["*"], "", True, []),
        ([], "https://king.example.org:8443", True, ["king.example.org"]),
    ):
        assert allowed_hosts(said, address, https=https) == found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "fault"),
    [({}, "security.W012"), ({"KINGSCORE_HTTPS": "1"}, "KINGSCORE_HOSTS is not set")],
)
def test_check_for_deployment_finds_what_is_missing(tmp_path, said, fault):
    done = run_manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **said)

    assert done.returncode == 1
    assert fault in done.stderr


ANSWERS = """
import json
from django.conf import settings
from django.core.management import call_command
from django.test import Client
call_command("check", deploy=True, fail_level="INFO")
visitor = Client(SERVER_NAME="king.example.org", HTTP_X_FORWARDED_PROTO="https")
plain = Client(SERVER_NAME="king.example.org").get("/new/")
chosen = visitor.post("/i18n/setlang/", {"language": "tr"})
print(json.dumps({
    "hosts": settings.ALLOWED_HOSTS,
    "proxies": settings.ALLAUTH_TRUSTED_PROXY_COUNT,
    "headers": dict(visitor.get("/rules/turkish-king.json").headers),
    "cookie": chosen.cookies["__Host-django_language"].OutputString(),
    "redirect": [plain.status_code, plain.headers.get("Location")],
}))
"""


@pytest.mark.slow
def test_production_passes_the_checks_speaks_https_and_keeps_addresses_to_itself(tmp_path):
    # Where `up` collects the files for the browser.
    (tmp_path / "static").mkdir()
    words = ("shell", "--no-imports", "--command", ANSWERS)
    done = run_manage(tmp_path, *words, **PRODUCTION, KINGSCORE_PROXIES="1")

    assert (done.returncode, done.stderr) == (0, "")
    checked, answers = done.stdout.splitlines()
    assert "no issues" in checked
    found = json.loads(answers)
    assert found["hosts"] == ["king.example.org"]
    assert found["proxies"] == 1
    assert found["redirect"] == [301, "https://king.example.org/new/"]
    assert "Secure" in found["cookie"]
    assert found["headers"]["Strict-Transport-Security"] == "max-age=31536000"
    assert found["headers"]["Referrer-Policy"] == "same-origin"
    assert found["headers"]["Cross-Origin-Opener-Policy"] == "same-origin"
    assert found["headers"]["X-Frame-Options"] == "DENY"
    assert found["headers"]["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "camera=()" in found["headers"]["Permissions-Policy"]
    assert found["headers"]["X-Content-Type-Options"] == "nosniff"


def test_policy_allows_nothing_inline_and_nothing_from_elsewhere(client, db):
    policy = client.get("/")["Content-Security-Policy"]

    assert dict(part.strip().split(" ", 1) for part in policy.split(";")) == {
        "default-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }


def test_mails_lead_to_the_address_that_is_known():
    for host, said, found in (
        ("*", "", ""),
        (".example.org", "", ""),
        ("king.example.org", "", "http://king.example.org"),
        ("*", "https://king.example.org/", "https://king.example.org"),
        ("king.example.org", "https://club.example.org", "https://club.example.org"),
    ):
        assert site_address(host, said, https=False) == found


def test_mail_address_is_taken_apart():
    tls = smtp("smtp://king%40club.org:p%40ss@mail.club.org:2525")
    ssl = smtp("smtps://mail.club.org?from=King+<king@club.org>")

    assert (tls["EMAIL_HOST"], tls["EMAIL_PORT"]) == ("mail.club.org", 2525)
    assert (tls["EMAIL_HOST_USER"], tls["EMAIL_HOST_PASSWORD"]) == ("king@club.org", "p@ss")
    assert (tls["EMAIL_USE_TLS"], tls["EMAIL_USE_SSL"]) == (True, False)
    assert tls["DEFAULT_FROM_EMAIL"] == "king@club.org"
    assert (ssl["EMAIL_PORT"], ssl["EMAIL_USE_TLS"], ssl["EMAIL_USE_SSL"]) == (465, False, True)
    assert ssl["DEFAULT_FROM_EMAIL"] == "King <king@club.org>"
    assert smtp("smtp://mail.lan:25?tls=0&from=king@lan")["EMAIL_USE_TLS"] is False


TABLE = ROOT / "docs" / "settings.md"
ROW = re.compile(r"^\| `([A-Z_]+)` \| .+ \| .+ \|$", re.MULTILINE)


def test_table_has_every_variable_that_the_settings_read():
    explained = ROW.findall(TABLE.read_text())

    assert sorted(explained) == sorted(settings.ENVIRONMENT.names)


MISTAKES = [
    ("KINGSCORE_HOST", "king.lan", "is not a setting. Did you mean"),
    ("KINGSCORE_PROXIES", "two", "must be a whole number"),
    ("KINGSCORE_SLOW_QUERY_MS", "-1", "must be a whole"),
    ("KINGSCORE_HTTPS", "ture", "must be 1 or 0"),
    ("KINGSCORE_LOG_FORMAT", "xml", "must be text or json"),
    ("KINGSCORE_TIME_ZONE", "Istanbul", "must be a time zone"),
    ("KINGSCORE_DATA", "/nowhere/at/all", "there is no folder /nowhere/at/all"),
    ("KINGSCORE_DATABASE_URL", "postgresql://h:x/k", "must"),
    ("KINGSCORE_SECRET_KEY", "s" * 31, "must have at least 32"),
    ("KINGSCORE_OLD_SECRETS", "s" * 32 + ", abc", "must"),
    ("KINGSCORE_HOSTS", "https://king.lan", "must have host"),
    ("KINGSCORE_HOSTS", "king.lan, king.lan:8000", "must have"),
    ("KINGSCORE_HOSTS", "king.lan;king.org", "must have host"),
    ("KINGSCORE_ADDRESS", "king.lan", "must read"),
    ("KINGSCORE_ADDRESS", "http://king.lan/a/", "must read"),
    ("KINGSCORE_FOUND_AT", "nowhere at all", "must read"),
    ("KINGSCORE_COPY_TO", "disk/copy", "must read /path"),
    ("KINGSCORE_COPY_TO", "ftp://king.lan/copy", "must read /path"),
    ("KINGSCORE_BROKER_URL", "localhost:6379", "must"),
    ("KINGSCORE_BROKER_URL", "amqp://guest@king.lan", "must"),
    ("KINGSCORE_BROKER_URL", "redis://", "must read redis://"),
    ("KINGSCORE_METRICS_TOKEN", "x", "must have at least"),
    ("KINGSCORE_METRICS_TOKEN", "sixteen or more, ş", "must"),
    ("WEB_CONCURRENCY", "0", "must be from 1 to 64, not 0"),
    ("KINGSCORE_WEB_THREADS", "0", "must be from 1 to 8"),
    ("KINGSCORE_WEB_THREADS", "64", "must be from 1 to 8"),
    ("KINGSCORE_PUSH_SERVICES", "push.lan", "must read"),
    ("KINGSCORE_PUSH_SERVICES", "https://*", "must read"),
    ("KINGSCORE_LISTEN_URL", "king.lan", "must read postgresql"),
    ("KINGSCORE_FONTS", "/nowhere/at/all", "there is no folder"),
    ("KINGSCORE_EMAIL_URL", "smtp://a@b?from=a@b&tsl=0", "must"),
    ("KINGSCORE_EMAIL_URL", "smtp://a@b:x", "must read"),
]


def test_fonts_of_the_extra_join_those_that_are_named(monkeypatch, tmp_path):
    named, installed = tmp_path / "fonts", tmp_path / "noto_cjk_sans_otc"
    for folder in (named, installed):
        folder.mkdir()
    monkeypatch.syspath_prepend(tmp_path)

    found = settings_with(monkeypatch, KINGSCORE_FONTS=str(named))["DOCUMENT_FONTS"]

    assert found == (named, installed)


@pytest.mark.parametrize(("name", "value", "said"), MISTAKES)
def test_mistake_in_the_environment_is_told_in_one_line(monkeypatch, name, value, said):
    with pytest.raises(ImproperlyConfigured) as refused:
        settings_with(monkeypatch, **{name: value})

    assert str(refused.value).startswith((f"{name} {said}", f"{name}: {said}"))
    assert "\n" not in str(refused.value)


def test_variables_that_contradict_each_other_are_refused(monkeypatch):
    with pytest.raises(ImproperlyConfigured, match="no path, where KINGSCORE_HTTPS is on"):
        settings_with(monkeypatch, KINGSCORE_ADDRESS="http://king.lan", KINGSCORE_HTTPS="1")


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
