"""The site of the demonstration, and phones to look at it with."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "king.example.org"
"""The host name in pages and QR codes; the browser maps it to this machine."""

SITE = f"http://{HOST}"

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
QUIET = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
START = 180
"""Seconds to wait for a site to answer."""


@contextmanager
def demo_site(folder: Path) -> Iterator[int]:
    """The site with the club of `seed_demo`, kept in a folder; its port on this machine."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("KINGSCORE_")},
        "KINGSCORE_DATA": str(folder),
        "KINGSCORE_HOSTS": HOST,
    }
    for words in (["migrate", "--verbosity", "0"], ["seed_demo", "--once"]):
        subprocess.run(_manage(*words), cwd=ROOT, env=environment, check=True, capture_output=True)
    port = free_port()
    words = _manage("up", "--host", "127.0.0.1", "--port", str(port))
    with (folder / "log").open("wb") as log:
        site = subprocess.Popen(
            words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        _wait(port)
        yield port
    finally:
        site.terminate()
        site.wait()


def _manage(*words: str) -> list[str]:
    return [sys.executable, "manage.py", *words]


def free_port() -> int:
    """A free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _wait(port: int) -> None:
    """Wait for any answer; a refused host name is one as well."""
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        try:
            urlopen(f"http://127.0.0.1:{port}/", timeout=5)
        except HTTPError:
            return
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError("the site does not answer")


@contextmanager
def browser_of(port: int) -> Iterator[Browser]:
    """A browser that maps the site's host name."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    # Chromium refuses its sandbox to root.
    words = [*QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    words.append(f"--host-resolver-rules=MAP {HOST} 127.0.0.1:{port}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=words)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visitor:
    """A phone, or a larger screen, with cookies of its own."""

    page: Page
    site: str

    def open(self, path: str) -> None:
        """Open a page of the site; the question whose phone it is covers no picture."""
        self.page.goto(self.site + path)
        if self.page.locator("#who[open]").count():
            self.page.keyboard.press("Escape")

    @property
    def path(self) -> str:
        """The path of the open page."""
        return self.page.evaluate("location.pathname")

    def sign_in(self, email: str, password: str) -> None:
        """Sign in with a password."""
        self.open("/accounts/login/")
        self.page.locator("form summary").first.click()
        self.page.fill("#sign-in [name=login]", email)
        self.page.fill("#sign-in [name=password]", password)
        self.page.press("#sign-in [name=password]", "Enter")
        self.page.wait_for_url(lambda url: "login" not in url)

    def send(self, path: str, body: dict[str, Any], key: str = "") -> dict[str, Any]:
        """Send JSON to the API, with a writing key if one is given."""
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        where = f"{self.site}/api/v1/{path}"
        answer = self.page.evaluate(
            """async ([where, headers, body]) => {
              const answer = await fetch(where, {method: "POST", headers, body});
              return [answer.status, await answer.text()];
            }""",
            [where, headers, json.dumps(body)],
        )
        status, text = answer
        assert status < 300, text
        return json.loads(text)


def visitor(browser: Browser, locale: str, site: str = SITE, **settings: Any) -> Visitor:
    """A new phone in a language, sharp as phones are."""
    look = {**PHONE, "device_scale_factor": 2, "reduced_motion": "reduce", **settings}
    context = browser.new_context(locale=locale, timezone_id="Europe/Istanbul", **look)
    return Visitor(context.new_page(), site)
