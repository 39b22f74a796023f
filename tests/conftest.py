"""Shared by all tests: translations, a place for files, and Chromium where there is one."""

import gc
import os
import re
import shutil
from itertools import count
from pathlib import Path

import hypothesis
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import translation

from tests.servers import database_to_test_with, drop_prepared_database, prepared, serve
from tests.services.notifications.push_service import push_service

# No test depends on the speed of the machine, nor on chance: a failure is found again by whoever
# looks for it. With a number, as many others are drawn.
EXAMPLES = os.environ.get("KINGSCORE_TEST_EXAMPLES")
hypothesis.settings.register_profile(
    "patient", deadline=None, derandomize=not EXAMPLES, max_examples=int(EXAMPLES or 50)
)
hypothesis.settings.load_profile("patient")

# Playwright runs a loop of its own in the thread of the test; the database is used all the same.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

# The first has no windows to show, which saves a fifth of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
NO_CHROMIUM = "no Chromium on this machine"

# Here somebody typed the line breaks.
AS_TYPED = re.compile(rb"(<(?:pre|textarea)\b.*?</)", re.DOTALL)

TESTS = Path(__file__).parent
TEST_NUMBERS = count()
SLOW_FOLDERS = ("browser", "faults", "production", "services/backups")


def pytest_sessionstart(session):
    if not hasattr(session.config, "workerinput"):
        call_command("compile_translations", verbosity=0)


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        drop_prepared_database()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without looking for garbage, of which thousands of tests that stay are none."""
    gc.disable()
    try:
        return (yield)
    finally:
        # Nor is what stays gone through again and again while tests run.
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path, config):
    """Import no file of which `-m slow` or `-m "not slow"` chooses nothing."""
    if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    wanted, slow = config.option.markexpr, is_in_slow_file(collection_path)
    if wanted == "slow" and not slow and "mark.slow" not in collection_path.read_text():
        return True
    return True if wanted == "not slow" and slow else None


# Before pytest chooses by markers.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if is_in_slow_file(item.path):
            item.add_marker(pytest.mark.slow)
    # On two busy cores Chromium is late now and then. What fails three times fails; the summary
    # counts what was run again.
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=2))
    # A process takes a file at a time. Those that start programs take long: no other is to be idle
    # at the end of a run because of one of them.
    long = {item.path for item in items if shares_with_its_module(item)}
    items.sort(key=lambda item: item.path not in long)


def is_in_slow_file(path):
    """Whether a file plays in the browser, runs a whole site, breaks one, or plays a race."""
    inside = path.relative_to(TESTS)
    return inside.stem.endswith("together") or any(map(inside.is_relative_to, SLOW_FOLDERS))


def shares_with_its_module(item):
    """Whether a test needs a world that is made once for its module, or the server of all."""
    found = item._fixtureinfo.name2fixturedefs.items()
    return any(
        each.scope == "module" or name == "server" for name, fixtures in found for each in fixtures
    )


def pytest_runtest_setup(item):
    if CHROMIUM or not item.get_closest_marker("browser"):
        return
    if os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") == "1":
        pytest.fail(f"{NO_CHROMIUM}, and KINGSCORE_TEST_REQUIRE_ALL=1 wants every test run")
    pytest.skip(NO_CHROMIUM)


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    left_out = [report for report in skipped if "browser" in report.keywords]
    if left_out:
        terminalreporter.write_line(
            f"Left out: {len(left_out)} browser tests, because there is {NO_CHROMIUM}."
            " Install chromium and run the tests again to include them."
        )


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings):
    """Each process tests with a copy of what is migrated once."""
    with database_to_test_with():
        yield


@pytest.fixture(scope="session")
def django_db_keepdb():
    return True


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    # Chromium refuses its sandbox to root, as which tests run in containers.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": sandbox}


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A web server of two processes, shared by all tests that only talk to one."""
    url = os.environ.get("KINGSCORE_DATABASE_URL")
    with serve(tmp_path_factory.mktemp("served"), url, ready=prepared()) as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def second_factor_of_the_staff():
    """`force_login` counts as a sign-in with a passkey, which the office requires."""
    from allauth.account.internal.flows.login import record_authentication
    from django.contrib.auth.signals import user_logged_in

    def show_passkey(request, user, **_):
        # Only `force_login` signs in without a page.
        if not request.path:
            record_authentication(request, user, method="mfa", type="webauthn")

    user_logged_in.connect(show_passkey, weak=False)


@pytest.fixture(autouse=True)
def files_of_this_test_only(settings, tmp_path_factory):
    # Made by the few tests that store one: a `tmp_path` is made and removed for each test.
    settings.MEDIA_ROOT = tmp_path_factory.getbasetemp() / "files" / str(next(TEST_NUMBERS))


@pytest.fixture(autouse=True)
def language_of_the_source():
    """The language that an earlier test's request left behind is of no concern to the next."""
    with translation.override("en"):
        yield


def in_one_line(text):
    """Join lines without their indents: beside a tag as they are, else with a space."""
    first, *more = text.split(b"\n")
    if not more:
        return text
    lines = [first.rstrip(), *filter(None, map(bytes.strip, more[:-1])), more[-1].lstrip()]
    text = b"\n".join(lines).replace(b">\n", b">").replace(b"\n<", b"<").replace(b"\n>", b">")
    return text.replace(b"\n", b" ")


@pytest.fixture(scope="session", autouse=True)
def without_line_breaks():
    """Let tests read pages whatever the lines of their templates."""
    ask = Client.request

    def request(self, **asked):
        page = ask(self, **asked)
        is_page = page.get("Content-Type", "").startswith("text/html")
        if is_page and not page.streaming and "Content-Encoding" not in page:
            parts = AS_TYPED.split(page.content)
            parts[::2] = map(in_one_line, parts[::2])
            page.content = b"".join(parts)
        return page

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "request", request)
        yield


@pytest.fixture
def service(settings):
    """A push service, as the makers of browsers run them."""
    with push_service(settings) as service:
        yield service
