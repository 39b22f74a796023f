"""Firefox and WebKit, driven alike: the few things a hand does on a page."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import websocket
from selenium.webdriver import WebKitGTK
from selenium.webdriver.common.by import By
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

PATIENCE = 30
"""Seconds until a page must show what is waited for."""


# Firefox speaks to nobody but the server under test: all else goes to a port nobody listens at.
PREFERENCES = """
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
"""


class Hand:
    """A page in an engine; `run` evaluates an expression in it."""

    def wait(self, condition):
        """Wait until an expression of the page is true; a page that is loading answers later."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(Exception):
                if self.run(condition):
                    return
            time.sleep(0.05)
        raise AssertionError(f"{condition} is not true on {self.run('document.body.innerText')}")

    def wait_for(self, selector):
        self.wait(f"document.querySelector({selector!r})?.checkVisibility()")

    def wait_to_tap(self, selector):
        """Wait until an element is there and not disabled, as Undo is after each save."""
        self.wait_for(selector)
        self.wait(f"document.querySelector({selector!r})?.disabled !== true")


class WebKitHand(Hand):
    def __init__(self, driver):
        self.driver = driver
        self.open = driver.get

    def run(self, expression):
        return self.driver.execute_script(f"return {expression}")

    def tap(self, selector):
        self.wait_to_tap(selector)
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def fill(self, selector, text):
        box = self.driver.find_element(By.CSS_SELECTOR, selector)
        box.clear()
        box.send_keys(text)


class FirefoxHand(Hand):
    """Firefox by WebDriver BiDi: Playwright asks Debian's for what it does not have."""

    def __init__(self, socket):
        self.socket, self.sent = socket, 0
        self.send("session.new", capabilities={})
        (tab,) = self.send("browsingContext.getTree")["contexts"]
        self.tab = tab["context"]
        size = {"width": 390, "height": 844}
        self.send("browsingContext.setViewport", context=self.tab, viewport=size)

    def send(self, method, **params):
        self.sent += 1
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.sent:
                assert answer["type"] == "success", answer
                return answer["result"]

    def open(self, address):
        self.send("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, expression):
        return self.send(
            "script.evaluate",
            expression=expression,
            target={"context": self.tab},
            awaitPromise=True,
        )["result"]

    def run(self, expression):
        text = self.evaluate(f"(async () => JSON.stringify(await ({expression})) ?? 'null')()")
        return json.loads(text["value"])

    def tap(self, selector):
        self.wait_to_tap(selector)
        scroll = "e => (e.scrollIntoView({ block: 'center' }), e)"
        found = self.evaluate(f"({scroll})(document.querySelector({selector!r}))")
        finger = [
            {
                "type": "pointerMove",
                "x": 0,
                "y": 0,
                "origin": {"type": "element", "element": found},
            },
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "finger", "actions": finger}
        self.send("input.performActions", context=self.tab, actions=[pointer])

    def fill(self, selector, text):
        self.tap(selector)
        self.run(f"document.querySelector({selector!r}).select()")
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        typed = {"type": "key", "id": "keyboard", "actions": keys}
        self.send("input.performActions", context=self.tab, actions=[typed])


@contextlib.contextmanager
def firefox():
    """Start Debian's Firefox without windows, with a profile that is thrown away."""
    with tempfile.TemporaryDirectory() as profile:
        (Path(profile) / "user.js").write_text(PREFERENCES)
        command = [shutil.which("firefox-esr"), "--headless", "--profile", profile]
        command += ["--remote-debugging-port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as started:
            # The line with an address names the port; what follows is of no interest.
            line = next(line for line in started.stderr if "ws://" in line)
            reader = threading.Thread(target=started.stderr.read)
            reader.start()
            socket = websocket.create_connection(
                f"{line.split()[-1]}/session", suppress_origin=True, timeout=PATIENCE
            )
            try:
                yield FirefoxHand(socket)
            finally:
                socket.close()
                started.terminate()
                reader.join()


@contextlib.contextmanager
def webkit():
    """Start WebKit's MiniBrowser on a screen that nobody sees."""
    options = Options()
    options.binary_location = str(next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")))
    options.add_argument("--automation")
    with screen() as display:
        environment = {**os.environ, "DISPLAY": display}
        service = Service(shutil.which("WebKitWebDriver"), env=environment)
        driver = WebKitGTK(options=options, service=service)
        try:
            driver.set_window_size(390, 844)
            yield WebKitHand(driver)
        finally:
            driver.quit()


@contextlib.contextmanager
def screen():
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "800x1000x24", "-nolisten", "tcp"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as started:
        try:
            yield f":{started.stdout.readline().strip()}"
        finally:
            started.terminate()
