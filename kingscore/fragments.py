"""Parts of pages that are drawn thousands of times, in Jinja2, and the tag `fragment` to show them.

Templates of Django's language show a part as `{% fragment "tournaments/games/_table.html" %}`; it
sees all of their context. The parts are in `templates/jinja2/`.
"""

import re
from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from typing import Any, cast

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.defaultfilters import capfirst, date, floatformat
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.html import format_html, json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext, npgettext, pgettext
from jinja2 import BaseLoader, ChainableUndefined, Environment, PrefixLoader, Template
from jinja2.ext import Extension

from tournaments.templatetags.kingscore import register as of_sheets

register = template.Library()

TEXT = r'"((?:[^"\\]|\\.)+)"'
CALL = re.compile(rf"\{{\{{ (?:_\({TEXT}\)|pgettext\({TEXT}, {TEXT}\)) \}}\}}")
INDENT = re.compile(r"\n\s+")


class Translated(Extension):
    """Translates texts without values, and takes indentation away, when a template is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the source in the current language."""
        del name, filename
        return INDENT.sub("\n", CALL.sub(_translated, source))


def _translated(call: re.Match[str]) -> str:
    text, context, in_context = (found and found.replace('\\"', '"') for found in call.groups())
    return gettext(text) if text else pgettext(context, in_context)


class TranslatedEnvironment(Environment):
    """Compiles each template once for each language."""

    def get_template(self, name: str | Template, *args: Any, **options: Any) -> Template:
        """Return the template for the current language."""
        if isinstance(name, str):
            name = f"{get_language() or settings.LANGUAGE_CODE}/{name}"
        return super().get_template(name, *args, **options)


def environment(*, loader: BaseLoader, **options: Any) -> Environment:
    """Return the environment of all fragments."""
    languages = {code: loader for code, _name in settings.LANGUAGES}
    made = TranslatedEnvironment(
        loader=PrefixLoader(languages),
        extensions=["jinja2.ext.i18n", Translated],
        trim_blocks=True,
        lstrip_blocks=True,
        **{**options, "undefined": ChainableUndefined},
    )
    made.install_gettext_callables(  # type: ignore[attr-defined] # added by jinja2.ext.i18n
        gettext, ngettext, newstyle=True, pgettext=pgettext, npgettext=npgettext
    )
    made.globals |= {"url": url, "kept": kept}
    made.filters |= of_sheets.filters
    made.filters |= {"capfirst": capfirst, "date": date, "floatformat": floatformat}
    made.filters |= {"default_if_none": default_if_none, "json_script": json_script}
    return made


@lru_cache(maxsize=10_000)
def url(name: str, *args: object) -> str:
    """Return an address, as the tag `url` does."""
    return reverse(name, args=args)


KEPT: dict[tuple[object, ...], str] = {}

MOST_KEPT = 10_000
"""They take up to some 20 megabytes: the lines of 500 games."""


def kept(*values: Hashable, caller: Callable[[], str]) -> str:
    """Render a part once for all values that it shows.

    As `{% call kept("line", line, links) %}…{% endcall %}`: the first value names the part, and
    nothing else of the context may show in it.
    """
    key = (get_language(), *values)
    part = KEPT.get(key)
    if part is None:
        part = caller()
        if len(KEPT) >= MOST_KEPT:
            KEPT.clear()
        KEPT[key] = part
    return part


def default_if_none(value: object, otherwise: object) -> object:
    """Return another value for None, and for one that is missing."""
    return otherwise if value is None or isinstance(value, ChainableUndefined) else value


def forms(request: HttpRequest) -> dict[str, object]:
    """The field of forms against forgery: the same in all forms of an answer, none if none has."""
    return {"csrf_input": SimpleLazyObject(partial(csrf_field, request))}


def csrf_field(request: HttpRequest) -> SafeString:
    """Return the hidden field of a form."""
    field = '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
    return format_html(field, get_token(request))


@register.simple_tag(takes_context=True)
def fragment(context: template.RequestContext, name: str) -> SafeString:
    """Show a part that is drawn in Jinja2."""
    values = cast("dict[str, Any]", context.flatten())
    return SafeString(render_to_string(name, values, context.request, using="fragments"))
