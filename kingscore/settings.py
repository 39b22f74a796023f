"""Settings, read from the environment. Without any, all data is in one folder.

docs/settings.md explains each variable.
"""

import os
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from tzlocal import get_localzone_name

from kingscore.api_settings import (  # noqa: F401 - they are settings
    API_LIMITS,
    KNOX_TOKEN_MODEL,
    REST_FRAMEWORK,
    REST_KNOX,
    SPECTACULAR_SETTINGS,
)
from kingscore.environment import (
    BEARER,
    BROKER,
    COPY,
    HOST,
    HTTPS_SITE,
    PUSH_SERVICE,
    SECRET,
    SITE,
    Environment,
    allowed_hosts,
    networks,
    postgresql,
    site_address,
    smtp,
    sqlite,
)
from kingscore.observing.logs import logging_of
from kingscore.secret import USABLE, kept_secrets, new_secret

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]

ENVIRONMENT = Environment(os.environ)
DATA = ENVIRONMENT.folder("KINGSCORE_DATA", BASE_DIR / "data")
# A check changes nothing.
if sys.argv[1:2] != ["check"]:
    DATA.mkdir(mode=0o700, exist_ok=True)

DEBUG = ENVIRONMENT.switched_on("KINGSCORE_DEBUG")
# Behind a proxy that speaks HTTPS.
HTTPS = ENVIRONMENT.switched_on("KINGSCORE_HTTPS")
DATABASE_URL = ENVIRONMENT.text("KINGSCORE_DATABASE_URL")
# PostgreSQL tells the web servers of writes: directly, where a pooler is in between.
LISTEN_URL = ENVIRONMENT.text("KINGSCORE_LISTEN_URL", DATABASE_URL)
if LISTEN_URL != DATABASE_URL:
    postgresql(LISTEN_URL, "KINGSCORE_LISTEN_URL")
# Litestream copies SQLite there all the time.
COPY_TO = ENVIRONMENT.text("KINGSCORE_COPY_TO", form=COPY).rstrip("/")
if COPY_TO and DATABASE_URL:
    raise ImproperlyConfigured(
        "KINGSCORE_COPY_TO copies SQLite; for PostgreSQL see docs/take-over.md."
    )
COPIED_AT = DATA / "copied-at"
# One more with each machine that took over from the one before it.
TIMELINE_FILE = DATA / "timeline"
TIMELINE = int(TIMELINE_FILE.read_text()) if TIMELINE_FILE.exists() else 1
# A restored backup puts the secret here; empty if the environment has it.
SECRET_KEY = ENVIRONMENT.text("KINGSCORE_SECRET_KEY", form=SECRET)
SECRET_FILE = None if SECRET_KEY else DATA / "secret-key"
SECRET_KEY = SECRET_KEY or new_secret()
SECRET_KEY_FALLBACKS = ENVIRONMENT.list("KINGSCORE_OLD_SECRETS", SECRET)
if SECRET_FILE and DATA.is_dir():
    SECRET_KEY, *SECRET_KEY_FALLBACKS = kept_secrets(SECRET_FILE, DATABASE_URL, DATA / "db.sqlite3")
# Fingerprint that a restored secret must match.
USABLE_SECRET = USABLE
SITE_ADDRESS = ENVIRONMENT.text("KINGSCORE_ADDRESS", form=HTTPS_SITE if HTTPS else SITE)
# All by default: phones at the table reach the laptop by whatever address it has that evening.
ALLOWED_HOSTS = allowed_hosts(ENVIRONMENT.list("KINGSCORE_HOSTS", HOST), SITE_ADDRESS, https=HTTPS)
SITE_ADDRESS = site_address([*ALLOWED_HOSTS, "*"][0], SITE_ADDRESS, https=HTTPS)
# `up` prints this address by default.
FOUND_AT = ENVIRONMENT.text("KINGSCORE_FOUND_AT", form=SITE).rstrip("/")

LOG_FORMAT = ENVIRONMENT.choice("KINGSCORE_LOG_FORMAT", ("text", "json"))
SLOW_QUERY_MS = ENVIRONMENT.number("KINGSCORE_SLOW_QUERY_MS", 500)
METRICS_TOKEN = ENVIRONMENT.text("KINGSCORE_METRICS_TOKEN", form=BEARER)
# Processes share their counts here. Without a token each counts for itself, and nobody reads them.
METRICS_FOLDER = DATA / "metrics" if METRICS_TOKEN else None

# Owners of clubs choose the addresses of webhooks; only this setting opens the internal network.
WEBHOOK_NETWORKS = networks(ENVIRONMENT.text("KINGSCORE_WEBHOOK_NETWORKS"))
# The push services of Chrome, Safari, Firefox and Edge. Any visitor chooses the address where a
# phone is notified, so the server calls no others.
PUSH_SERVICES = [
    "https://fcm.googleapis.com",
    "https://*.push.apple.com",
    "https://*.push.services.mozilla.com",
    "https://*.notify.windows.com",
    *ENVIRONMENT.list("KINGSCORE_PUSH_SERVICES", PUSH_SERVICE),
]

# Per web server. On SQLite a second one takes 100 MB more, and a usual evening is no faster for it.
WEB_PROCESSES = ENVIRONMENT.number("WEB_CONCURRENCY", 2 if DATABASE_URL else 1, 1, 64)
# The connection pool of PostgreSQL is made for eight threads at most.
WEB_THREADS = ENVIRONMENT.number("KINGSCORE_WEB_THREADS", 4, 1, 8)

# Files whose locks limit how many records are computed at a time on this machine.
COMPUTING_PLACES = DATA / "computing"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_filters",
    "django_htmx",
    "drf_spectacular",
    "knox",
    "oauth2_provider",
    "rest_framework",
    "kingscore.apps.KingscoreConfig",
    "tournaments",
]

MIDDLEWARE = [
    "kingscore.middleware.watch_requests",
    "kingscore.middleware.add_headers",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "kingscore.middleware.prefix_cookies",
    "django.middleware.gzip.GZipMiddleware",
    # Most requests end here.
    "tournaments.web.games.following.answer_unchanged",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "kingscore.sign_in.renew_sessions",
    "django.middleware.locale.LocaleMiddleware",
    "kingscore.middleware.tell_limits",
    # Before anything that reads the body.
    "kingscore.middleware.check_request",
    "kingscore.middleware.announce_writes",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "kingscore.accounts.RefusedFormMiddleware",
    "kingscore.sign_in.AttemptsMiddleware",
    "kingscore.sign_in.ask_second_factor",
    "kingscore.middleware.MissingRowMiddleware",
]

# Followers poll every two seconds: maximum age of the answers, in seconds.
MARKS_KEPT_SECONDS = 0.5

ROOT_URLCONF = "kingscore.urls"
WSGI_APPLICATION = "kingscore.wsgi.application"
ASGI_APPLICATION = "kingscore.asgi.application"
WEB_WORKER = "kingscore.web_worker.WebWorker"

TEMPLATES = [
    {
        "NAME": "django",
        "BACKEND": "kingscore.fragments.Pages",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"devices": "kingscore.sign_in", "fragments": "kingscore.fragments"},
            "builtins": ["kingscore.fragments"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
    {
        # The parts that are drawn thousands of times.
        "NAME": "fragments",
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates/jinja2"],
        "OPTIONS": {
            "environment": "kingscore.fragments.Languages",
            "context_processors": ["kingscore.fragments.forms"],
        },
    },
]

DATABASES = {"default": postgresql(DATABASE_URL) if DATABASE_URL else sqlite(DATA / "db.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "tournaments.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in {
        "UserAttributeSimilarityValidator": {},
        "MinimumLengthValidator": {"min_length": 12},
        "CommonPasswordValidator": {},
    }.items()
]
AUTHENTICATION_BACKENDS = ["kingscore.sign_in.OneHashBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
# Most who sign up by themselves found a club; others were led elsewhere.
ACCOUNT_SIGNUP_REDIRECT_URL = "clubs"
# Counted from the last day of use.
SESSION_COOKIE_AGE = 30 * 24 * 60 * 60
# How long the second factor opens the admin site.
OFFICE_AGE = 12 * 60 * 60
# How long an e-mailed code is valid; e-mails give it in minutes.
CODE_AGE = 10 * 60

ACCOUNT_ADAPTER = "kingscore.accounts.AccountAdapter"
ACCOUNT_FORMS = {
    "add_email": "kingscore.accounts.AddEmailForm",
    "login": "kingscore.accounts.SignInForm",
    "signup": "kingscore.accounts.SignUpForm",
    "request_login_code": "kingscore.accounts.CodeRequestForm",
    "reset_password": "kingscore.accounts.PasswordResetForm",
}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
# User names are for accounts made by `createsuperuser`.
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_USER_DISPLAY = "tournaments.queries.players.account_name"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
# No other address at that point: allauth offers it to new users only, which reveals who is known.
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_CHANGE = False
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = True
ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = CODE_AGE
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = CODE_AGE
ACCOUNT_PASSWORD_RESET_BY_CODE_TIMEOUT = CODE_AGE
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Kingscore: "
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
# Three wrong ones spoil a code. By the hour an attacker has sixty in a hundred million, and by
# the minute a whole club behind one address may sign in at the beginning of an evening.
ALLAUTH_USER_CODE_FORMAT = {"numeric": True, "length": 8}
# "ip" is the network: of IPv6 addresses the first 64 bits. What the keys are, and which device
# is counted by itself, kingscore/sign_in.py says; limits of allauth that are None are counted
# there.
ACCOUNT_RATE_LIMITS = {
    "login": None,
    "sign_in": "60/m/ip",
    "sign_in_device": "60/m/key",
    "passkey": "60/m/ip",
    "passkey_device": "60/m/key",
    # Wrong passwords. After too many from everywhere, new devices need a code or a passkey.
    "login_failed": None,
    "password": "5/5m/key,10/m/ip",
    "password_device": "5/5m/key,50/h/key",
    "password_anywhere": "50/h/key",
    # E-mails requested without a sign-in. The limit allows codes for as many new phones as come
    # to a club on its evening; the others no faster than they are needed.
    "request_login_code": None,
    "login_mail": "5/h/key,60/h/ip",
    "login_mail_device": "10/h/key",
    "login_mail_anywhere": "20/h/key",
    "reset_password": None,
    "reset_password_from_key": None,
    "reset_mail": "5/h/key,20/h/ip",
    "reset_mail_device": "10/h/key",
    "reset_mail_anywhere": "20/h/key",
    "signup": "60/m/ip",
    "confirm_email": None,
    "sign_up_mail": "20/h/ip",
    "sign_up_mail_device": "5/h/key",
    "sign_up_mail_anywhere": "5/h/key",
    # By signed-in user: no stranger uses these up.
    "reauthenticate": "10/m/user,50/h/user",
    "change_password": "5/m/user,50/h/user",
    "manage_email": "5/m/user,20/h/user",
    "office_code": "5/h/user",
    # By the access link of a tournament; a whole hall may share one address.
    "register_entrant": "60/m/ip",
    # Of a published event, by visitors outside its club.
    "ask_document": "20/m/ip",
    # Photos of paper sheets, by phones and by a director with those of a whole hall.
    "send_photo": "60/m/ip",
    # Documents that are verified, and printed codes that are looked up.
    "verify_document": "20/m/ip",
    "verify_code": "60/m/ip",
    # Codes and refresh tokens of applications; a server may ask for many people.
    "oauth_token": "120/m/ip",
    # Wrong codes of player cards.
    "claim_code": "60/h/ip",
    # The tables of a phone without an account, and links that carry them to another.
    "phone_tables": "60/m/ip",
    "phone_seats": "120/m/ip",
    "carry_tables": "60/h/ip",
    # A whole hall may switch notifications on at once.
    "notify": "120/m/ip",
}
# Applications act for an account by OAuth 2.1: an authorization code with PKCE, and nothing else.
OAUTH2_PROVIDER = {
    # The scopes of personal tokens; the consent page has its own sentences.
    "SCOPES": {"read": "Read", "score": "Write sheets", "direct": "Direct", "manage": "Manage"},
    "DEFAULT_SCOPES": ["read"],
    "PKCE_REQUIRED": True,
    "OAUTH2_VALIDATOR_CLASS": "tournaments.services.accounts.Validator",
    "ACCESS_TOKEN_GENERATOR": "tournaments.services.accounts.new_access_token",
    "REFRESH_TOKEN_GENERATOR": "tournaments.services.accounts.new_refresh_token",
    "ACCESS_TOKEN_EXPIRE_SECONDS": 60 * 60,
    # From its last use. A refresh token is used once. A second use repeats the answer for a minute,
    # since it may have been lost; later, it ends them all.
    "REFRESH_TOKEN_EXPIRE_SECONDS": 90 * 24 * 60 * 60,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 60,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    # The form refuses http but for programs on the reader's own machine.
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http"],
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": [
        "client_secret_basic",
        "client_secret_post",
        "none",
    ],
    # RFC 9700: S256 only, tokens in headers only, `iss` in answers, digests of tokens in the rows.
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}
MFA_RATE_LIMITS = {"webauthn_login": None}
ALLAUTH_TRUSTED_PROXY_COUNT = ENVIRONMENT.number("KINGSCORE_PROXIES", int(HTTPS))
MFA_SUPPORTED_TYPES = ["webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ADAPTER = "kingscore.accounts.PasskeyAdapter"
MFA_FORMS = {"add_webauthn": "kingscore.accounts.PasskeyForm"}
# Browsers offer passkeys over HTTPS, and to the machine itself without.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS

# Shared by all processes: limits counted by each alone would be as many times too high.
CACHES = {
    "default": {
        "BACKEND": "kingscore.counting.CountingCache",
        "LOCATION": "kingscore_cache",
        # A full cache discards every third row, including the limits in it.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Slow fragments of pages, by their dependencies. Each process keeps its own: the shared cache
    # takes 0.9 ms for each hit instead of 0.1, to save a second process 34 ms after a change.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
    # Sheets of running games, for followers: each is rendered once after a deal.
    "sheets": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "sheets",
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
    # Number of requests of each program. In the database of a small site each would be a write.
    "throttles": {
        "BACKEND": f"kingscore.counting.{'DatabaseCounts' if DATABASE_URL else 'FileCounts'}",
        "LOCATION": "kingscore_cache" if DATABASE_URL else str(DATA / "counts.sqlite3"),
        "OPTIONS": {},
    },
}

EMAIL_URL = ENVIRONMENT.text("KINGSCORE_EMAIL_URL")
LOG_BACKEND = "kingscore.mail.LogBackend"
globals().update(smtp(EMAIL_URL) if EMAIL_URL else {"EMAIL_BACKEND": LOG_BACKEND})

# Its own table of tokens, which ours replaces, would be left behind by every flush.
MIGRATION_MODULES = {"knox": None}

LANGUAGE_CODE = "en"
# Each in its own language, so that a reader finds the way back from an unknown one.
LANGUAGES = [("en", "English"), ("tr", "Türkçe"), ("it", "Italiano")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "kingscore.formats"
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60
LANGUAGE_COOKIE_SAMESITE = "Lax"
# Days and hours are those of the clock on the wall; rows keep UTC.
TIME_ZONE = ENVIRONMENT.time_zone("KINGSCORE_TIME_ZONE", get_localzone_name())
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = (BASE_DIR / (ENVIRONMENT.text("KINGSCORE_STATIC") or DATA / "static")).resolve()
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "kingscore.static_files.AppFilesFinder",
]
# The scripts and styles of pages, by names of files in static/: see kingscore/static_files.py.
BUNDLES = {
    "amend.js": "typed waits amend",
    "amend_totals.js": "typed waits amend totals",
    "base.js": "typed waits",
    "carried.js": "typed waits tables",
    "dispute.js": "typed waits table",
    "follow.js": "typed waits kept follow who awake offline",
    "guide.js": "typed waits offline",
    "home.css": "kingscore front home",
    "home.js": "typed waits offline unsent home_screen",
    "live.js": "follow",
    "new.js": "typed waits new start_offline offline",
    "round.js": "typed waits clock bar outbox who home_screen offline",
    "table.css": "kingscore table entry hands who",
    "table.js": "typed waits outbox who home_screen offline",
    "table_offline.js": "typed waits table_offline outbox",
    "tables.js": "typed waits tables offline",
    "totals.js": "typed waits totals",
    "wall.js": "typed waits clock follow wall",
    "without_signal.js": "typed waits offline unsent",
}
MEDIA_ROOT = DATA / "files"
# For letters that the fonts of the program lack, such as those of Chinese names.
DOCUMENT_FONTS = ENVIRONMENT.folders("KINGSCORE_FONTS")
if cjk := find_spec("noto_cjk_sans_otc"):
    DOCUMENT_FONTS += tuple(map(Path, cjk.submodule_search_locations or ()))
# Only the owner may read the data folder; a proxy reads files elsewhere.
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
READABLE = {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "kingscore.static_files.ModuleStorage",
        "OPTIONS": {} if STATIC_ROOT.is_relative_to(DATA) else READABLE,
    },
}

# The address of a table is a secret: no other site may learn it from a followed link.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_SAMESITE = "Lax"
# All files are our own; injected content is neither run nor shown.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
# The largest upload is the record of a tournament.
LARGEST_BODY = 2 * 1024 * 1024
# Photos of a paper sheet, as a phone without scripts sends them; the page's script sends less.
LARGEST_PHOTOS = 8 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = LARGEST_BODY
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
# Each record of an evening is a separate file.
DATA_UPLOAD_MAX_NUMBER_FILES = 200
FILE_UPLOAD_MAX_MEMORY_SIZE = LARGEST_BODY
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    # We cannot promise that other hosts of the club's domain speak HTTPS, and an entry in
    # the browsers' preload lists is hard to remove.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
    # http is for programs on the reader's own machine; the form refuses it elsewhere.
    SILENCED_SYSTEM_CHECKS += ["oauth2_provider.W008"]
    # A refresh token gives the same tokens again by computing them: none is stored for it.
    SILENCED_SYSTEM_CHECKS += ["oauth2_provider.E001"]
    CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_SECURE = True
    LANGUAGE_COOKIE_SECURE = True

# The database is the queue; a message only wakes the worker, so that losing one loses nothing.
TASK_QUEUE = "kingscore.celery.app"
CELERY_BROKER_URL = ENVIRONMENT.text("KINGSCORE_BROKER_URL", "folder://localhost", BROKER)
if CELERY_BROKER_URL == "folder://localhost":
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA / "broker" / "messages"),
        "data_folder_out": str(DATA / "broker" / "messages"),
        "control_folder": str(DATA / "broker" / "control"),
        "polling_interval": 0.2,
    }
else:
    # Waking the worker fails at once if the broker is down: the sweep finds the row later.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 1,
        "socket_timeout": 5,
        "max_retries": 1,
        "interval_start": 0,
    }
# How often in a row the worker of `up` has ended, for the status page.
WORKER_FAILURES = DATA / "worker-failures"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Remote control would leave a queue behind for each worker that ever ran.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# In memory: due work is read from the database, so there is no last run to remember.
CELERY_BEAT_SCHEDULER = "kingscore.celery:Scheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep-reports": {"task": "tournaments.tasks.sweep_reports", "schedule": 15.0},
    "expire-reports": {"task": "tournaments.tasks.expire_reports", "schedule": 3600.0},
    "sweep-ratings": {"task": "tournaments.tasks.sweep_ratings", "schedule": 30.0},
    # Queries the database whether a nightly check is due: shortly after 04:00, or soon after the
    # next start if the machine was off then.
    "sweep-checks": {"task": "tournaments.tasks.sweep_checks", "schedule": 600.0},
    # Queries the database for clubs whose last month was not e-mailed yet: on the first, shortly
    # after six, or after the next start if the machine was off then.
    "sweep-months": {"task": "tournaments.tasks.sweep_months", "schedule": 1800.0},
    "sweep-emails": {"task": "tournaments.tasks.sweep_emails", "schedule": 300.0},
    "sweep-webhooks": {"task": "tournaments.tasks.sweep_webhooks", "schedule": 15.0},
    # Compares the clocks and results of running tournaments with what players were told.
    "sweep-notifications": {"task": "tournaments.tasks.sweep_notifications", "schedule": 15.0},
    "forget-deliveries": {"task": "tournaments.tasks.forget_deliveries", "schedule": 3600.0},
    "sweep-answers": {"task": "tournaments.tasks.sweep_answers", "schedule": 3600.0},
    "sweep-sessions": {"task": "tournaments.tasks.sweep_sessions", "schedule": 3600.0},
}

LOGGING = logging_of(LOG_FORMAT)

ENVIRONMENT.refuse_unknown()
