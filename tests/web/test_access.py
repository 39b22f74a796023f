"""Every page of the project, as each kind of visitor, against what is written down.

The table is `access_table.txt`; whoever adds an address adds its line there.
"""

import copy
import logging
import re

import pytest
from django.apps import apps
from django.conf import settings
from django.core import serializers
from django.db import connection, transaction
from django.test import Client, override_settings
from django.urls import reverse, reverse_lazy
from django.utils import translation

from tests.web.access_table import (
    AGAIN,
    EVERYBODY,
    FOLLOW,
    FORBIDDEN,
    LOGIN,
    MISSING,
    NO_METHOD,
    OF_AN_EVENING,
    OK,
    PAGES,
    REFUSED,
)
from tests.web.access_world import CLUB, OTHER_CLUB, PHONES, VISITORS, WHOLE_NAME, make_world
from tests.web.walking import BODY, addresses, noting, path_of, walkers, ways
from tournaments.models import Club, Event
from tournaments.web.base import answers


def outcome(answer):
    if answer.status_code in (301, 302, 303):
        where = answer["Location"].partition("?")[0]
        return FOLLOW if where.startswith("/follow/") else LED_TO.get(where, OK)
    words = {403: FORBIDDEN, 404: MISSING, 405: NO_METHOD}
    return words.get(answer.status_code, OK)


LED_TO = {
    reverse_lazy("account_login"): LOGIN,
    reverse_lazy("admin:login"): LOGIN,
    reverse_lazy("account_reauthenticate"): AGAIN,
}


class Walk:
    def __init__(self, who, world, *, published=False):
        self.who, self.world, self.published = who, world, published
        self.client = Client()
        if who in world.accounts:
            self.client.force_login(world.accounts[who])
        if who in world.links:
            self.client.get(reverse("table_link", kwargs=world.links[who]))
        self.cookies = copy.deepcopy(self.client.cookies)
        self.surprises = []

    def ask(self, method, path):
        """Ask for a page as if for the first time; what a form did is taken back."""
        self.client.cookies = copy.deepcopy(self.cookies)
        written = []
        with transaction.atomic(), connection.execute_wrapper(noting(written)):
            send = self.client.get if method == "GET" else self.client.post
            answer = send(path, *([BODY] if method == "POST" else []))
            if method == "GET" and answer.headers.get("Location", "").startswith("/play/"):
                # The way back to the sheet, for whoever asks where only POST does something.
                answer = send(answer["Location"])
            got, page = outcome(answer), answer.getvalue().decode("utf-8", "replace")
            if got not in REFUSED:
                transaction.set_rollback(True)
        self.surprises += [f"{method} {path}: {fault}" for fault in faults_of(answer)]
        allowed = ASKED if DRAWN.fullmatch(path) else COPIED
        if "og:" in page and (answer.wsgi_request.path.startswith("/play/") or WRITES in page):
            self.surprises.append(
                f"{method} {path}: a chat would show it, and it can be written at"
            )
        if method == "GET" and not all(map(allowed.match, written)):
            self.surprises.append(f"GET {path}: it wrote {written}")
        return got, page, written

    def visit(self, name, link, method, path, wanted):
        got, page, written = self.ask(method, path)
        expected = {wanted[self.who]} if wanted else REFUSED
        where = f"{name} ({link})" if link else name
        if got not in expected:
            self.surprises.append(f"{method} {where}: {got}, not {' or '.join(sorted(expected))}")
        if got in REFUSED and method == "POST" and written:
            self.surprises.append(f"{method} {where}: refused, but it wrote {written}")
        shown = [mark for mark in self.hidden(name) if mark in page]
        if shown:
            self.surprises.append(f"{method} {where}: shows {shown}")

    def hidden(self, name):
        if self.who in ("director", "owner") or (self.who == "staff" and "office" in name):
            return [OTHER_CLUB]
        if self.who == "staff" and name.startswith("admin:"):
            return self.world.secrets
        marks = [WHOLE_NAME, *([] if self.who == "other" else [OTHER_CLUB])]
        place = PAGES[name].place
        if place in self.world.wrong or place in self.world.closed:
            # Whoever has one address of a table is shown others of it.
            return marks
        marks += self.world.secrets if self.who not in PHONES else []
        return marks if self.who == "member" or self.published else [*marks, CLUB]


COPIED = re.compile(r'INSERT INTO "account_emailaddress"')
"""The page of addresses copies that of the account into its own table, where it is not yet."""

ASKED = re.compile(r'INSERT INTO "tournaments_report"')
DRAWN = re.compile(r"/(follow|clubs)/.*/picture(-wide)?\.png")
"""A picture that is asked for is noted for the worker, and nothing else."""

WRITES = 'href="/play/'

MAY_BE_KEPT = re.compile(
    r"/clubs/[^/]+/(logo/|embed/.*|evenings\.ics|results\.rss)|/embed/.*|/calendar/.*"
    r"|/rules/[^/]+|/api/v1/.*"
)
"""A browser keeps the logo of a club for an hour, and what everybody may read for a while."""

FOR_OTHER_SITES = re.compile(r"/clubs/[^/]+/embed/.*")
"""Parts of a published club, for the frames and scripts of other sites."""

KEPT_FOR_GOING_BACK = re.compile(r"/|/(guide|rules|ratings|clubs|follow|evening)/.*")
"""Pages that a browser keeps for visitors without an account, if no address to write is in them."""


def may_be_kept(answer):
    path = answer.wsgi_request.path
    if MAY_BE_KEPT.match(path):
        return True
    page, account = answer.getvalue().decode("utf-8", "replace"), answer.wsgi_request.user
    shows_a_secret = account.is_authenticated or WRITES in page
    return KEPT_FOR_GOING_BACK.fullmatch(path) and not shows_a_secret


def faults_of(answer):
    """Yield a message for each rule of every answer that this one breaks."""
    headers = answer.headers
    if "no-store" not in headers.get("Cache-Control", "") and not may_be_kept(answer):
        yield f"is kept: {headers.get('Cache-Control')}"
    if headers["Content-Type"].startswith("text/") and "charset" not in headers["Content-Type"]:
        yield f"has no charset: {headers['Content-Type']}"
    if headers.get("X-Content-Type-Options") != "nosniff":
        yield "may be taken for something else"
    if "camera=()" not in headers.get("Permissions-Policy", ""):
        yield "may use the camera"
    if answer.status_code == 200 and FOR_OTHER_SITES.match(answer.wsgi_request.path):
        return
    if "frame-ancestors 'none'" not in headers.get("Content-Security-Policy", ""):
        yield "may be framed"
    if headers.get("Cross-Origin-Resource-Policy") != "same-origin":
        yield "may be embedded by another site"


def everything():
    models = [*apps.get_app_config("tournaments").get_models()]
    models += [*apps.get_app_config("account").get_models()]
    rows = {model._meta.label: model._default_manager.order_by("pk") for model in models}
    return {name: serializers.serialize("json", found) for name, found in rows.items()}


def test_every_address_is_in_the_table_and_the_table_names_no_other():
    assert {name for name, _, _ in addresses()} == set(PAGES)


@pytest.fixture(scope="module")
def world_of_all(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all visitors: what a walk leaves in it is taken back after its test."""
    folder = tmp_path_factory.mktemp("files")
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        override_settings(MEDIA_ROOT=folder),
        translation.override("en"),
    ):
        world = make_world()
        yield world, folder
        transaction.set_rollback(True)


@pytest.fixture
def world(files_of_this_test_only, world_of_all, db, monkeypatch):
    """The world with its files; refusals are asked for, a thousand warnings of them help nobody."""
    world, settings.MEDIA_ROOT = world_of_all
    # No worker draws pictures here.
    monkeypatch.setattr(answers, "LONGEST_WAIT", 0)
    logging.disable(logging.WARNING)
    yield copy.deepcopy(world)
    logging.disable(logging.NOTSET)


def is_same_for_member(page, wanted):
    """Whether a page that belongs to no club answers members of all clubs alike."""
    of_no_club = not page.place or page.place.startswith("office")
    return of_no_club and (wanted is None or wanted["other"] == wanted["member"])


@pytest.mark.parametrize("who", walkers(VISITORS))
def test_visitor_gets_what_the_table_says_and_nothing_refused_is_written(who, world):
    walk = Walk(who, world)
    before = everything()

    for name, page in PAGES.items():
        for link, kwargs, get, post in ways(world, page):
            if who in PHONES[1:] and not link and page.place not in world.wrong:
                # As the phone of this table: without an address none of them is anybody.
                continue
            for method, wanted in (("GET", get), ("POST", post)):
                if who == "director" and wanted and wanted[who] == wanted["owner"] == OK:
                    # The walk of the owner looks at the answer.
                    continue
                if who == "other" and (wanted == EVERYBODY or is_same_for_member(page, wanted)):
                    # That of the member does.
                    continue
                walk.visit(name, link, method, path_of(name, kwargs), wanted)

    assert not walk.surprises, "\n".join(walk.surprises)
    assert everything() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "alone"), [("nobody", False), ("other", False), ("staff", False), ("nobody", True)]
)
def test_what_is_published_is_seen_by_everybody_and_nothing_more(who, alone, world):
    Club.objects.filter(name=CLUB).update(published=not alone)
    Event.objects.filter(club__name=CLUB).update(published=True)
    walk = Walk(who, world, published=True)

    for name, page in PAGES.items():
        if page.place not in world.wrong and page.get and "admin:" not in name:
            open_to_all = page.published and (not alone or name in OF_AN_EVENING)
            wanted = page.published if open_to_all else page.get
            walk.visit(name, "", "GET", path_of(name, world.right[page.place]), wanted)

    assert not walk.surprises, "\n".join(walk.surprises)
