"""Settings, read from the environment; without any, everything runs from one folder.

KINGSCORE_DATA           folder of everything that is kept (data/ beside manage.py)
KINGSCORE_DATABASE_URL   postgresql://user:password@host:port/name?sslmode=… (SQLite in the folder)
KINGSCORE_BROKER_URL     redis://… (messages as files in the folder)
KINGSCORE_SECRET_KEY     (made at the first start and kept in the folder)
KINGSCORE_HOSTS          host names to answer to, separated by commas (all)
KINGSCORE_TIME_ZONE      Europe/Istanbul, … (that of the machine)
KINGSCORE_HTTPS          1 behind a proxy that speaks HTTPS and sets X-Forwarded-Proto
KINGSCORE_DEBUG          1 while developing
"""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from tzlocal import get_localzone_name

BASE_DIR = Path(__file__).resolve().parent.parent


def switched_on(name: str) -> bool:
    """Whether a variable of the environment says yes."""
    return os.environ.get(name, "").lower() in {"1", "true", "yes", "on"}


def kept_secret(path: Path) -> str:
    """Return the secret in a file, made by whichever process asks first."""
    if not path.exists():
        # mkstemp gives mode 600; a link, unlike a rename, never replaces a secret in use.
        descriptor, beside = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
        with suppress(FileExistsError):
            os.link(beside, path)
        Path(beside).unlink()
    return path.read_text().strip()


def sqlite(path: Path) -> dict[str, Any]:
    """Describe a SQLite database that many may write to and that outlives a power cut."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        # Closing the last connection would fold the write-ahead log into the file each time.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A transaction that reads first and writes later fails as locked without it.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # NORMAL can lose a score that was already answered.
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;",
        },
        # A file: connections to a database in memory do not wait for each other's locks.
        "TEST": {"NAME": path.with_name(f"test-{path.name}")},
    }


def postgresql(url: str) -> dict[str, Any]:
    """Describe the PostgreSQL database at an address."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            "KINGSCORE_DATABASE_URL must read postgresql://user:password@host:port/name"
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "OPTIONS": {
            # As many as one process of the web server has threads, and some to spare.
            "pool": {"min_size": 1, "max_size": 8, "timeout": 10},
            **dict(parse_qsl(parts.query)),
        },
    }


DATA = (BASE_DIR / os.environ.get("KINGSCORE_DATA", "data")).resolve()
DATA.mkdir(parents=True, exist_ok=True)

DEBUG = switched_on("KINGSCORE_DEBUG")
SECRET_KEY = os.environ.get("KINGSCORE_SECRET_KEY") or kept_secret(DATA / "secret-key")
# All by default: phones at the table reach the laptop by whatever address it has that evening.
ALLOWED_HOSTS = os.environ.get("KINGSCORE_HOSTS", "*").split(",")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "tournaments",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "kingscore.urls"
WSGI_APPLICATION = "kingscore.wsgi.application"
ASGI_APPLICATION = "kingscore.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASE_URL = os.environ.get("KINGSCORE_DATABASE_URL")
DATABASES = {"default": postgresql(DATABASE_URL) if DATABASE_URL else sqlite(DATA / "db.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "tournaments.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Until there are accounts for everyone, organisers sign in at the back office.
LOGIN_URL = "admin:login"

LANGUAGE_CODE = "en"
# Each in its own words, so that a reader finds the way back from a language not understood.
LANGUAGES = [("en", "English"), ("tr", "Türkçe"), ("it", "Italiano")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60
LANGUAGE_COOKIE_SAMESITE = "Lax"
# Days and hours are those of the clock on the wall; rows keep UTC.
TIME_ZONE = os.environ.get("KINGSCORE_TIME_ZONE") or get_localzone_name()
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = DATA / "files"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# The address of a table is a secret: no other site may learn it from a link that is followed.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_SAMESITE = "Lax"
if switched_on("KINGSCORE_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_SECURE = True
    LANGUAGE_COOKIE_SECURE = True

# The database is the queue; a message only wakes the worker, so that losing one loses nothing.
CELERY_BROKER_URL = os.environ.get("KINGSCORE_BROKER_URL", "folder://localhost")
if CELERY_BROKER_URL == "folder://localhost":
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA / "broker" / "messages"),
        "data_folder_out": str(DATA / "broker" / "messages"),
        "control_folder": str(DATA / "broker" / "control"),
        "polling_interval": 0.2,
    }
else:
    # A nudge is given up at once where the broker is down: the sweep finds what it was for.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 1,
        "socket_timeout": 5,
        "max_retries": 1,
        "interval_start": 0,
    }
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Remote control would leave a queue of its own behind for each worker that ever ran.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# In memory: what is due is read from the database, so there is no last run to remember.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep-reports": {"task": "tournaments.tasks.sweep_reports", "schedule": 15.0},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "discreet": {
            "()": "kingscore.logs.DiscreetFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
            "datefmt": "%Y-%m-%d %H:%M:%S",
        },
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "discreet"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "tournaments": {"level": "INFO"},
        # These bring handlers of their own, which would write the addresses of tables.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.server": {"handlers": [], "level": "INFO", "propagate": True},
        "gunicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
    },
}
