import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.phones import CSRF_FIELD
from tests.servers import environment_of, prepared
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def children(pid):
    """Return the command of each child that is alive, by process id."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
            command = (status.parent / "cmdline").read_text().replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(parent) == pid and state != "Z":
            found[int(status.parent.name)] = command
    return found


def tree(pid):
    return {pid for child in children(pid) for pid in {child, *tree(child)}}


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def answer(address):
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


class Site:
    def __init__(self, data, *arguments, **environment):
        self.log = data / "log"
        self.data = data
        self.environment = environment_of(data, PYTHONUNBUFFERED="1", **environment)
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "manage.py",
                    "up",
                    "--host",
                    "127.0.0.1",
                    "--port",
                    "0",
                    *arguments,
                ],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.pid = self.process.pid
        self.family = set()

    @property
    def said(self):
        return self.log.read_text()

    def address(self):
        found = wait_until(lambda: re.search(r"Kingscore is at (\S+)", self.said) or self.ended())
        return found[1]

    def ended(self):
        assert self.process.poll() is None, self.said

    def child(self, name):
        return wait_until(
            lambda: next((pid for pid, words in children(self.pid).items() if name in words), None)
        )

    def run_python(self, code):
        words = [sys.executable, "-c", f"import kingscore\n{code}"]
        environment = {**self.environment, "DJANGO_SETTINGS_MODULE": "kingscore.settings"}
        done = subprocess.run(
            words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout.strip()

    def stop(self, kind):
        # Noted now: what outlives its parent cannot be found by it.
        self.family = tree(self.pid)
        # More than once: make passes on what its group gets as well, and people press Ctrl-C again.
        for _time in range(300):
            self.process.send_signal(kind)
            time.sleep(0.0001)
        return self.process.wait(timeout=PATIENCE)


@pytest.fixture
def start(start_first, tmp_path):
    shutil.copytree(prepared(), tmp_path, dirs_exist_ok=True)
    return start_first


@pytest.fixture
def start_first(tmp_path):
    sites = []

    def start_site(*arguments, **environment):
        sites.append(Site(tmp_path, *arguments, **environment))
        return sites[-1]

    yield start_site
    for site in sites:
        left = site.family | tree(site.pid)
        if site.process.poll() is None:
            site.process.kill()
            site.process.wait()
        for pid in filter(alive, left):
            os.kill(pid, signal.SIGKILL)


def test_up_starts_finds_its_data_again_and_survives_what_breaks(start_first):
    first = start_first(WEB_CONCURRENCY="1")
    sign_up(first)
    starts_a_killed_server_again(first)
    stop_whole(first)
    secret = first.data / "secret-key"
    kept = secret.read_text(), (first.data / "static/.collected").stat().st_mtime_ns
    assert len(list(first.data.rglob("*"))) > 100
    assert open_to_others(first.data) == []
    # As older versions left it.
    for path in (first.data, first.data / "db.sqlite3", first.data / "broker"):
        path.chmod(0o755)
    damage_broker(first.data)

    second = start_first()
    assert answer(second.address()) == 200
    assert open_to_others(second.data) == []
    assert (secret.read_text(), (first.data / "static/.collected").stat().st_mtime_ns) == kept
    takes_messages_whatever_is_damaged(second)
    starts_a_killed_server_again(second)
    starts_a_killed_worker_again(second)
    # Nobody can ask its programs to end.
    second.stop(signal.SIGKILL)
    # The web server's master and its worker, and the worker for tasks.
    assert len(second.family) >= 3
    wait_until(lambda: not any(map(alive, second.family)))


def sign_up(site):
    """Sign up with the code that the terminal shows where there is no mail server."""
    address = site.address()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    page = browser.open(f"{address}accounts/signup/").read().decode()
    form = {"csrfmiddlewaretoken": CSRF_FIELD.search(page)[1], "email": "ay@ornek.org"}

    sent = browser.open(f"{address}accounts/signup/", urllib.parse.urlencode(form).encode())

    assert sent.url == f"{address}accounts/confirm-email/"
    code = wait_until(lambda: re.search(r"^\d{4}-\d{4}$", site.said, re.MULTILINE))[0]
    token = CSRF_FIELD.search(sent.read().decode())[1]
    form = {"csrfmiddlewaretoken": token, "code": code}
    assert browser.open(sent.url, urllib.parse.urlencode(form).encode()).url == f"{address}clubs/"
    assert "Mail to ay@ornek.org" in site.said


def open_to_others(folder):
    return [path for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]


def stop_whole(site):
    site.child("celery")

    assert site.stop(signal.SIGTERM) == 0, site.said

    # The web server and the worker.
    assert len(site.family) >= 2
    assert [pid for pid in site.family if alive(pid)] == []
    assert "Traceback" not in site.said


def starts_a_killed_server_again(site):
    address, web = site.address(), site.child("gunicorn: master")
    orphans = children(web)

    os.kill(web, signal.SIGKILL)
    wait_until(lambda: not alive(web))

    # Its orphans end within a second or two, and may cut off what they still take on; but the
    # port stays open, so that after them a visitor waits and is not turned away.
    wait_until(lambda: not any(map(alive, orphans)))
    assert answer(address) == 200
    assert site.child("gunicorn: master") != web
    assert "The web server ended by itself" in site.said


def starts_a_killed_worker_again(site):
    worker, web = site.child("celery"), site.child("gunicorn")

    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: not alive(worker))

    assert site.run_python(SEND_AND_WAIT) == "taken"
    assert site.child("celery") != worker
    assert site.child("gunicorn") == web


SEND_AND_WAIT = """
import time
from kingscore.celery import app
app.send_task("tournaments.tasks.sweep_reports", queue="celery")
deadline = time.monotonic() + 600
while app.connection_for_read().channel()._size("celery"):
    assert time.monotonic() < deadline
    time.sleep(0.1)
print("taken")
"""


def damage_broker(data):
    messages, control = data / "broker" / "messages", data / "broker" / "control"
    for folder in (messages, control):
        folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate([b"", b'{"body": "', b"\0" * 400, b"\xff\xfe garbage", b"[]"]):
        # As old as can be: these are taken first.
        (messages / f"{number:020}_damaged.celery.msg").write_bytes(content)
    (messages / f"{9:020}_damaged.celery.msg").mkdir()
    (control / "celery.exchange").write_bytes(b'[["celery", ')
    (control / "lock").unlink(missing_ok=True)
    (control / "lock").mkdir()


def takes_messages_whatever_is_damaged(site):
    """The broker was damaged before the start; it is damaged again beside the running worker."""
    worker = site.child("celery")
    assert site.run_python(SEND_AND_WAIT) == "taken"

    damage_broker(site.data)
    assert site.run_python(SEND_AND_WAIT) == "taken"

    assert site.child("celery") == worker
    # 6 messages each time.
    assert len(list((site.data / "broker").glob("messages/unreadable/*"))) == 12
    assert "Unreadable" in site.said
    assert "Traceback" not in site.said


STATUS_PAGE = """
import django
django.setup()
from allauth.account.internal.flows.login import record_authentication
from django.contrib.auth.signals import user_logged_in
from django.test import Client
from tournaments.models import User
user_logged_in.connect(
    lambda request, user, **_: record_authentication(request, user, method="mfa"), weak=False
)
keeper = Client(headers={"host": "localhost"})
keeper.force_login(User.objects.create(username="keeper", email="k@club.org", is_staff=True))
print(keeper.get("/office/status/").text)
"""


def test_site_runs_on_without_a_worker_that_never_stays_and_says_so(start):
    site = start(KINGSCORE_BROKER_URL="redis://127.0.0.1:1/0?nonsense=1")
    address = site.address()

    wait_until(lambda: "The worker does not stay up" in site.said)

    assert answer(address) == 200
    assert "The worker does not stay up: it has ended" in site.run_python(STATUS_PAGE)
    assert site.stop(signal.SIGINT) == 0
    assert [pid for pid in site.family if alive(pid)] == []
    assert not (site.data / "worker-failures").exists()


def test_web_server_that_never_stays_stops_everything(start):
    # gunicorn reads its settings from there, too.
    site = start(GUNICORN_CMD_ARGS="--config=nowhere")

    assert site.process.wait(timeout=PATIENCE) == 1

    assert "The web server does not stay up" in site.said


def test_up_says_when_the_port_is_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "up", "--host", "127.0.0.1", "--port", str(port)],
            cwd=ROOT,
            env=environment_of(tmp_path),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1, port {port}" in done.stderr
    assert "Traceback" not in done.stderr
