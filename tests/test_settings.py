"""What the settings make of the environment, and what the log keeps to itself."""

import logging
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.utils import ConnectionHandler

from kingscore.logs import DiscreetFormatter
from kingscore.settings import kept_secret, postgresql, sqlite
from tournaments.models import addresses


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
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize("url", ["mysql://club@db.lan/king", "postgresql://db.lan", "king"])
def test_other_database_address_is_refused(url):
    with pytest.raises(ImproperlyConfigured, match="KINGSCORE_DATABASE_URL"):
        postgresql(url)


def test_secret_is_one_for_all_who_ask_at_once_and_only_the_owner_reads_it(tmp_path):
    path = tmp_path / "secret-key"

    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(kept_secret, [path] * 64))

    assert len(secrets) == 1
    assert len(secrets.pop()) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


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


@pytest.mark.parametrize("kind", ["play", "follow", "take", "reports"])
def test_log_keeps_the_secret_of_an_address(kind):
    secret = addresses.derive(kind, "k7f3q", 1)
    try:
        raise ValueError(f"no page at /{kind}/k7f3q/{secret}/deal/")
    except ValueError as error:
        record = logging.LogRecord(
            "django.request",
            logging.ERROR,
            "base.py",
            1,
            "Not Found: %s",
            (f"/{kind}/k7f3q/{secret}",),
            (ValueError, error, error.__traceback__),
        )

    line = DiscreetFormatter().format(record)

    assert secret not in line
    assert f"Not Found: /{kind}/k7f3q/…\n" in line
    assert line.endswith(f"no page at /{kind}/k7f3q/…/deal/")


def test_every_log_line_goes_through_the_discreet_formatter(client, db):
    secret = addresses.derive("play", "nobody", 1)
    loggers = [
        logging.getLogger(name) for name in ("", "django", "django.request", "django.server")
    ]
    handlers = [handler for logger in loggers for handler in logger.handlers]

    assert client.get(f"/play/nobody/{secret}/").status_code == 404

    ours = [handler for handler in handlers if type(handler) is logging.StreamHandler]
    assert ours
    assert {type(handler.formatter) for handler in ours} == {DiscreetFormatter}
