"""Convert environment variables to Django settings; only the settings read the environment."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

from kingscore.secret import USABLE

PREFIX, PREFIX_OF_TESTS = "KINGSCORE_", "KINGSCORE_TEST_"
SWITCHED_ON, SWITCHED_OFF = {"1", "true", "yes", "on"}, {"", "0", "false", "no", "off"}


class Form(NamedTuple):
    """What a text must look like, and how a sentence about it goes on after "must"."""

    pattern: re.Pattern[str]
    words: str


NAME = r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?"
ADDRESS = rf"({NAME}|\[[0-9a-f:.]+\])(:[0-9]{{1,5}})?"
SECRET = Form(USABLE, "have at least 32 characters: openssl rand -hex 32")
HOST = Form(
    re.compile(rf"\*|\.?{NAME}|\[[0-9a-f:.]+\]", re.IGNORECASE),
    "have host names without https:// and port, separated by commas: king.example.org",
)
SITE = Form(
    re.compile(rf"https?://{ADDRESS}/?", re.IGNORECASE), "read https://king.example.org, no path"
)
HTTPS_SITE = Form(
    re.compile(rf"https://{ADDRESS}/?", re.IGNORECASE),
    "read https://king.example.org, no path, where KINGSCORE_HTTPS is on",
)
PUSH_SERVICE = Form(
    re.compile(rf"https://(\*\.)?{ADDRESS}", re.IGNORECASE),
    "read https://push.example.org, no path",
)
BROKER = Form(
    re.compile(rf"rediss?://([^\s/@?#]*@)?{ADDRESS}(/[0-9]*)?(\?\S*)?", re.IGNORECASE),
    "read redis://:password@host:6379/0",
)
COPY = Form(
    re.compile(r"/\S.*|(sftp|s3)://[^\s/]+(/\S*)?"),
    "read /path/of/a/folder, sftp://user@host/folder or s3://bucket/folder",
)
BEARER = Form(
    re.compile(r"[A-Za-z0-9._~+/-]{16,}=*"),
    "have at least 16 letters and digits: openssl rand -hex 32",
)


class Environment:
    """The environment variables of the settings; an empty one counts as not set.

    All methods raise ImproperlyConfigured, with a sentence that names the variable.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables
        self.names: set[str] = set()

    def text(self, name: str, default: str = "", form: Form | None = None) -> str:
        """Return a variable as it is; it must have the form if it is set."""
        self.names.add(name)
        text = self.variables.get(name)
        if not text:
            return default
        return self._checked(name, text, form) if form else text

    def list(self, name: str, form: Form) -> list[str]:
        """Return the parts of a list separated by commas, each of which must have the form."""
        parts = (each.strip() for each in self.text(name).split(","))
        return [self._checked(name, part, form) for part in parts if part]

    def _checked(self, name: str, text: str, form: Form) -> str:
        # Not repeated, for it may be secret.
        if not form.pattern.fullmatch(text):
            raise ImproperlyConfigured(f"{name} must {form.words}.")
        return text

    def switched_on(self, name: str) -> bool:
        text = self.text(name).lower()
        if text not in SWITCHED_ON | SWITCHED_OFF:
            raise ImproperlyConfigured(f"{name} must be 1 or 0, not {text!r}.")
        return text in SWITCHED_ON

    def number(self, name: str, default: int, least: int = 0, most: int | None = None) -> int:
        """Return a whole number that is not below `least`, nor above `most`."""
        text = self.text(name, str(default))
        if not (text.isascii() and text.isdigit()):
            raise ImproperlyConfigured(f"{name} must be a whole number, not {text!r}.")
        if int(text) < least or (most is not None and int(text) > most):
            between = f"from {least} to {most}" if most is not None else f"at least {least}"
            raise ImproperlyConfigured(f"{name} must be {between}, not {text}.")
        return int(text)

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """Return one of the choices, by default the first."""
        text = self.text(name, choices[0])
        if text not in choices:
            raise ImproperlyConfigured(f"{name} must be {' or '.join(choices)}, not {text!r}.")
        return text

    def time_zone(self, name: str, default: str) -> str:
        text = self.text(name, default)
        try:
            ZoneInfo(text)
        except (KeyError, OSError, ValueError) as error:
            raise ImproperlyConfigured(
                f"{name} must be a time zone like Europe/Istanbul, not {text!r}."
            ) from error
        return text

    def folder(self, name: str, default: Path) -> Path:
        """Return a folder, which must exist if the variable names it."""
        named = self.text(name)
        path = (default.parent / named).resolve() if named else default
        if named and not path.is_dir():
            raise ImproperlyConfigured(f"{name}: there is no folder {path}. Make it first.")
        return path

    def folders(self, name: str) -> tuple[Path, ...]:
        """Return folders separated by commas, which must exist."""
        paths = tuple(Path(part.strip()) for part in self.text(name).split(",") if part.strip())
        for path in paths:
            if not path.is_dir():
                raise ImproperlyConfigured(f"{name}: there is no folder {path}.")
        return paths

    def refuse_unknown(self) -> None:
        """Refuse a variable that no setting reads: it may be misspelt."""
        for name in sorted(set(self.variables) - self.names):
            if name.startswith(PREFIX) and not name.startswith(PREFIX_OF_TESTS):
                near = get_close_matches(name, sorted(self.names), 1)
                ask = f" Did you mean {near[0]}?" if near else ""
                raise ImproperlyConfigured(f"{name} is not a setting.{ask}")


def sqlite(path: Path) -> dict[str, Any]:
    """Return settings for a SQLite database that allows many writers and survives a power cut."""
    return {
        "ENGINE": "kingscore.sqlite3",
        "NAME": path,
        # Closing the last connection would fold the write-ahead log into the file each time.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # Without it, a transaction that reads first and writes later fails as locked.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # NORMAL can lose a score that was already answered.
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;",
        },
        # A file: connections to an in-memory database do not wait for each other's locks.
        "TEST": {"NAME": path.with_name(f"test-{path.name}")},
    }


def postgresql(url: str, name: str = "KINGSCORE_DATABASE_URL") -> dict[str, Any]:
    """Return settings for the PostgreSQL database at the address that a variable has."""
    parts = _parts(url)
    database = parts.path.removeprefix("/")
    if (
        parts.scheme not in {"postgresql", "postgres"}
        or not database
        or parts.fragment
        or "/" in database
        or "@" in database
        or parts.netloc.count("@") > 1
    ):
        raise ImproperlyConfigured(
            f"{name} must read postgresql://user:password@host:port/name, with %40 for an @ in the"
            " password, %2F for /, %3A for :, %3F for ? and %23 for #"
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(database),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        # Check connections when taken from the pool: after a restart of PostgreSQL all of them are
        # broken, and each would cause an error.
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            # As many as one process of the web server has threads, and some spare.
            "pool": {"min_size": 1, "max_size": 8, "timeout": 10},
            **dict(parse_qsl(parts.query)),
        },
    }


def smtp(url: str) -> dict[str, Any]:
    """Return the settings for the mail server at an address."""
    parts = _parts(url)
    query = dict(parse_qsl(parts.query))
    user = unquote(parts.username or "")
    sender = query.get("from") or user
    if (
        parts.scheme not in {"smtp", "smtps"}
        or not parts.hostname
        or parts.path.strip("/")
        or parts.fragment
        or "@" not in sender
        or not query.keys() <= {"tls", "from"}
        or query.get("tls", "1") not in {"0", "1"}
    ):
        raise ImproperlyConfigured(
            "KINGSCORE_EMAIL_URL must read smtp://user:password@host:587?tls=1&from=king@club.org,"
            " with %2F for a / in the password, %3F for ? and %23 for #"
        )
    ssl = parts.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if ssl else 587),
        "EMAIL_HOST_USER": user,
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": ssl,
        "EMAIL_USE_TLS": not ssl and query.get("tls", "1") != "0",
        # A visitor waits for the page.
        "EMAIL_TIMEOUT": 10,
        "DEFAULT_FROM_EMAIL": sender,
        "SERVER_EMAIL": sender,
    }


def allowed_hosts(named: list[str], address: str, *, https: bool) -> list[str]:
    """Return the host names to answer to.

    Over HTTPS there is none by default: a name that clients can choose would get into
    e-mails and links.
    """
    if not https:
        return named or ["*"]
    return [host for host in named if host != "*"] or [
        host for host in [urlsplit(address).hostname] if host
    ]


def site_address(host: str, address: str, *, https: bool) -> str:
    """Return the address of the site, without a slash at the end; empty if not set."""
    if address or host[:1] in {"*", "."}:
        return address.rstrip("/")
    return f"{'https' if https else 'http'}://{host}"


def networks(text: str) -> list[IPv4Network | IPv6Network]:
    try:
        return [ip_network(network.strip()) for network in text.split(",") if network.strip()]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"KINGSCORE_WEBHOOK_NETWORKS must read 192.168.1.0/24,fd00::/8: {error}"
        ) from error


def _parts(url: str) -> SplitResult:
    """Return the parts of an address; one that cannot be read has none."""
    try:
        parts = urlsplit(url)
        # It is read only here, and checked.
        _ = parts.port
    except ValueError:
        return urlsplit("")
    return parts
