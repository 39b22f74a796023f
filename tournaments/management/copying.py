"""The process of `up` that keeps a continuous copy of a site on SQLite, by Litestream: see `main`.

Litestream copies databases only: the secret and the files of documents go into a second one. Each
copy is in a folder of the place that is the number of its timeline, a word of PostgreSQL's: a
machine that takes over begins the next one, and by that the machine before it knows. Nothing of
Django is imported, which takes 20 MB.
"""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

DATABASE, FILES = "db.sqlite3", "copied.sqlite3"
"""Names of the copied databases: that of the site, and one with the other files in it."""

SECRET, FOUND_AT, DOCUMENTS = "secret-key", "found-at", "files/"
"""Names of files in it: the secret, the last address of the site, and all below a folder."""

STAMP, PLACE = "copied-at", "copying-to"
"""Files in the data folder: the first one's time is when the copy had everything."""

NEVER = {"sync-interval": "1h"}
"""Litestream copies when told to, if the disk is there: it would make a folder that is not."""

PAUSE = 0.5
"""Seconds between two copies: so much may be missing in one."""

TAKEN_OVER = (
    "Another machine has taken over from this one, or the copy is one of another site: {place} has"
    " what was not copied from here. Where the other machine is the right one, leave this one off."
    " Otherwise let KINGSCORE_COPY_TO name an empty place. docs/take-over.md"
)


class CopyFault(Exception):
    """A place that cannot be used now; the text says why."""


class CopyRefused(CopyFault):
    """It cannot be used at all: the site does not start."""


def main() -> None:
    """Copy until a signal; once another machine has taken over, stop `up` as well."""
    os.chdir(sys.argv[1])
    # Not an argument, which every user of the machine can read: it may hold a password.
    place, timeline = os.environ["KINGSCORE_COPY_TO"].rstrip("/"), int(sys.argv[2])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    while True:
        try:
            claim(Path(), place, timeline)
        except CopyRefused as refused:
            sys.stderr.write(f"{refused}\n")
            os.kill(os.getppid(), signal.SIGTERM)
            return
        except CopyFault:
            time.sleep(5)
            continue
        with litestream_running(place, timeline) as running:
            copy_while_whole(place, timeline, running)
        # A part is missing in between, as where a disk was away for a while: begin anew.
        with suppress(CopyFault):
            if is_there(place):
                litestream("replicate -once -force-snapshot", place, timeline, DATABASE, FILES)


def claim(data: Path, place: str, timeline: int) -> None:
    """Begin the copy in a place, or see that nobody has taken it over.

    Raises:
        CopyRefused: there is a copy that is not of this machine, or no Litestream.
        CopyFault: the place does not answer.
    """
    if not is_there(place):
        raise CopyFault(f"there is no folder {place}")
    begun = data / PLACE
    is_own = begun.exists() and begun.read_text() == place
    if has_copy(place, timeline + is_own):
        raise CopyRefused(TAKEN_OVER.format(place=hidden(place)))
    begun.write_text(place)


def copy_while_whole(place: str, timeline: int, running: subprocess.Popen[str]) -> None:
    """Copy until the place is gone, somebody has taken over, or the copy cannot be restored."""
    often, begun = 30 if is_folder(place) else 600, identity(place)
    for turn in count(1):
        if running.poll() is not None:
            sys.exit("Litestream has ended.")
        if turn % 10 == 1:
            copy_files(Path())
        began = time.time()
        if identity(place) != begun:
            return
        if sync(DATABASE) and sync(FILES):
            Path(STAMP).touch(mode=0o600)
            os.utime(STAMP, (began, began))
        if turn % often == 0 and not is_whole(place, timeline):
            return
        time.sleep(PAUSE)


def is_whole(place: str, timeline: int) -> bool:
    """Return whether the copy could be restored, and is the newest one there."""
    try:
        for name in (DATABASE, FILES):
            litestream("restore -dry-run -o none", place, timeline, name)
        return not has_copy(place, timeline + 1)
    except CopyFault:
        return False


def is_folder(place: str) -> bool:
    return "://" not in place


def is_there(place: str) -> bool:
    """Return whether a folder exists: Litestream would make it, on whatever disk is there now."""
    return not is_folder(place) or Path(place).is_dir()


def identity(place: str) -> tuple[int, int] | None:
    """Return what tells a folder from one on another disk; None of a place elsewhere."""
    with suppress(OSError):
        found = Path(place).stat()
        return found.st_dev, found.st_ino
    return None


def hidden(place: str) -> str:
    """Return a place as it may be shown, without a password."""
    return re.sub("//.*@", "//…@", place)


def has_copy(place: str, timeline: int, name: str = FILES) -> bool:
    """Return whether there is a copy of this number.

    Raises: CopyFault: the place does not answer.
    """
    return bool(json.loads(litestream("ltx -json -level all", place, timeline, name)))


def litestream(command: str, place: str, timeline: int, *names: str) -> str:
    """Run a command of Litestream on the copy of databases in this folder; return what it prints.

    Raises: CopyFault: it fails.
    """
    verb, *words = command.split()
    # Litestream replicates all that the configuration names, and asks for the name otherwise.
    ends = [] if verb == "replicate" else [str(Path(name).absolute()) for name in names]
    done = subprocess.run(
        [program(), verb, "-no-expand-env", "-config", "/dev/stdin", *words, *ends],
        input=configuration(place, timeline, names),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CopyFault(done.stderr.strip())
    return done.stdout


def program() -> str:
    """Return the path of Litestream: that of the environment, or of the machine.

    Raises: CopyRefused: it is not installed.
    """
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    found = shutil.which("litestream", path=places)
    if found is None:
        raise CopyRefused("KINGSCORE_COPY_TO needs Litestream: make litestream")
    return found


def configuration(place: str, timeline: int, names: Sequence[str], control: str = "") -> str:
    """Return Litestream's configuration; JSON is YAML."""
    databases = [
        {
            "path": str(Path(name).absolute()),
            "replica": replica(place, f"{timeline}/{name}") | NEVER,
        }
        for name in names
    ]
    own: dict[str, object] = {"socket": {"enabled": True, "path": control}} if control else {}
    return json.dumps({"dbs": databases, "logging": {"level": "warn", "stderr": True}, **own})


def replica(place: str, path: str) -> dict[str, str]:
    if is_folder(place):
        return {"type": "file", "path": f"{place}/{path}"}
    where = urlsplit(place)
    url = where._replace(path=f"{where.path.rstrip('/')}/{path}").geturl()
    if where.scheme != "sftp":
        return {"url": url}
    key = {} if where.password else {"key-path": str(Path.home() / ".ssh/id_ed25519")}
    return {"url": url, "host-key": host_key(where.netloc.rpartition("@")[2]), **key}


def host_key(host: str) -> str:
    """Return the key by which the other machine is known, so that no other one gets the secret."""
    name = "[{}]:{}".format(*host.split(":")) if ":" in host else host
    keys = {}
    with suppress(OSError):
        for line in (Path.home() / ".ssh/known_hosts").read_text().splitlines():
            names, _, key = line.partition(" ")
            if name in names.split(","):
                keys[key.partition(" ")[0].split("-")[1]] = key
    # In the order in which Litestream asks for one of several.
    for kind in ("sha2", "rsa", "ed25519"):
        if kind in keys:
            return keys[kind]
    raise CopyFault(f"~/.ssh/known_hosts has no key of {name}: ssh-keyscan prints them")


@contextmanager
def litestream_running(place: str, timeline: int) -> Iterator[subprocess.Popen[str]]:
    """Run Litestream; on leaving, stop it after a last copy."""
    config = configuration(place, timeline, [DATABASE, FILES], "copy.sock")
    words = [program(), "replicate", "-no-expand-env", "-config", "/dev/stdin"]
    running = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert running.stdin is not None
    with running.stdin as stdin:
        stdin.write(config)
    try:
        yield running
    finally:
        # A last copy would make a folder whose disk is away.
        (running.terminate if is_there(place) else running.kill)()
        running.wait()


class Control(HTTPConnection):
    """Litestream's own address: a socket in the data folder."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect("copy.sock")


def sync(name: str) -> bool:
    """Have all that is committed copied, and return whether it is."""
    control = Control("localhost", timeout=30)
    body = {"path": str(Path(name).absolute()), "wait": True, "timeout": 20}
    try:
        control.request("POST", "/sync", json.dumps(body))
        return control.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        control.close()


@contextmanager
def open_files(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of files, which commits each statement."""
    with closing(sqlite3.connect(folder / FILES, isolation_level=None, timeout=20)) as files:
        files.execute("PRAGMA journal_mode = WAL")
        files.execute(
            "CREATE TABLE IF NOT EXISTS file"
            " (name TEXT PRIMARY KEY, modified INTEGER NOT NULL, content BLOB NOT NULL)"
        )
        yield files


def copy_files(folder: Path) -> None:
    """Put the secret, and the files that have changed, into their database."""
    with open_files(folder) as files:
        there = dict(files.execute("SELECT name, modified FROM file"))
        for path in (folder / SECRET, *(folder / DOCUMENTS).rglob("*")):
            # It may disappear meanwhile; the secret may be in the environment.
            with suppress(FileNotFoundError, IsADirectoryError):
                name, modified = str(path.relative_to(folder)), path.stat().st_mtime_ns
                if there.pop(name, None) != modified:
                    put_file(files, name, modified, path.read_bytes())
        for name in there:
            if name.startswith(DOCUMENTS):
                files.execute("DELETE FROM file WHERE name = ?", [name])


def put_file(files: sqlite3.Connection, name: str, modified: int, content: bytes) -> None:
    files.execute("REPLACE INTO file VALUES (?, ?, ?)", [name, modified, content])


if __name__ == "__main__":
    main()
