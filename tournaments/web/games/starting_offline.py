"""The pages with which a phone without a signal starts a game: the form, and empty tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import condition, require_safe

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.presenters.games.sheets import verdict_texts
from tournaments.presenters.rulesets import plays_without_signal
from tournaments.queries.games.sheets import fold_sheet
from tournaments.texts import labels
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.phone import TABLE, phone_table, suggested_names
from tournaments.web.games.forms import NewTableForm
from tournaments.web.games.pages import table_context

NAMES = "\ue000\ue001\ue002\ue003"
"""The players of an empty table: characters that no text uses, for which phones put names."""

EVERY_FIELD = {"king": "declared", "blind_declaration": True, "sale": True}
"""The options with which a form has all its fields; phones take away those not chosen."""

NOWHERE = "-"
"""Public id and secret of a game that the server does not have yet."""


@dataclass(frozen=True)
class EmptyTable:
    """The drawn table of a ruleset before its first deal."""

    id: str
    name: str
    html: SafeString
    rules: Mapping[str, Any]


def version_of(request: HttpRequest) -> str:
    """Return the ETag of these pages, which depend on nothing else."""
    names = ("theme", "suits", TABLE)
    shown = [get_language(), *(request.COOKIES.get(name) for name in names)]
    # A new program has other names of its files, or another version.
    files = [staticfiles_storage.url(name) for name in ("table.css", "table_offline.js")]
    return f'"{sha256(repr([settings.VERSION, *shown, *files]).encode()).hexdigest()[:32]}"'


# The service worker asks again with each page and is answered with 304.
@never_cache
@require_safe
@condition(etag_func=version_of)
def new_offline(request: HttpRequest) -> HttpResponse:
    """Return the form of a new table for phones without a signal (no query)."""
    form = NewTableForm(table=phone_table(request), rulesets=RULESETS)
    page = {"form": form, "names": suggested_names(request), "only_here": True}
    return render(request, "tournaments/games/new_offline.html", page)


@never_cache
@require_safe
@condition(etag_func=version_of)
def table_offline(request: HtmxRequest) -> HttpResponse:
    """Return the page of a table that only the phone has, with an empty table per game (no query).

    It contains nothing of an account or a phone.
    """
    tables = list(empty_tables(request))
    page = {"tables": tables, "verdicts": verdict_texts(), "here": True, "hands": True}
    return render(request, "tournaments/games/table_offline.html", page)


def empty_tables(request: HtmxRequest) -> Iterator[EmptyTable]:
    for ruleset in RULESETS.values():
        if plays_without_signal(ruleset):
            html, rules = draw(request, ruleset)
            yield EmptyTable(ruleset.id, labels.name_of(ruleset), html, rules)


def draw(request: HtmxRequest, ruleset: Ruleset) -> tuple[SafeString, Mapping[str, Any]]:
    """Return the fragment of an empty table, with all fields that options can add; its rules."""
    asked = {option.setting for option in ruleset.options}
    options = {name: value for name, value in EVERY_FIELD.items() if name in asked}
    players = list(NAMES[: ruleset.seats])
    row = Game(public_id=NOWHERE, ruleset=ruleset.id, players=players, options=options)
    page = table_context(request, fold_sheet(row, ()), holder=0)
    page |= {"secret": NOWHERE, "adopts": False, "key": ""}
    # Without a request: forms on the phone take their token from its cookie.
    return SafeString(render_to_string("tournaments/games/_table.html", page)), page["rules"]
