"""Templates: parts in Jinja2 that are drawn thousands of times, and the tags that remember texts.

Templates of Django's language show a part as `{% fragment "tournaments/games/_table.html" %}`; it
sees all of their context. The parts are in `templates/jinja2/`.
"""

import re
from collections.abc import Callable, Hashable, Iterable, MutableMapping
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, cast

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.forms import BaseForm
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template import defaulttags
from django.template.backends.django import DjangoTemplates
from django.template.backends.django import Template as BackendTemplate
from django.template.defaultfilters import capfirst, date
from django.template.loader import render_to_string
from django.templatetags import i18n
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject
from django.utils.html import conditional_escape, format_html, format_html_join, json_script
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext, ngettext, npgettext, pgettext
from jinja2 import BaseLoader, ChainableUndefined, Environment, Template
from jinja2.ext import Extension

from kingscore.observing.logs import CURRENT
from kingscore.static_files import FOLDER, ModuleStorage, files_of
from tournaments.services.base.writes import REASONS
from tournaments.templatetags.kingscore import register as of_sheets

register = template.Library()

TEXT = r'"((?:[^"\\]|\\.)+)"'
CALL = re.compile(rf"\{{\{{ (?:_\({TEXT}\)|pgettext\({TEXT}, {TEXT}\)) \}}\}}")
INDENT = re.compile(r"\n\s+")


class Translated(Extension):
    """Translates texts without values, and takes indentation away, when a template is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        del name, filename
        return INDENT.sub("\n", CALL.sub(_translated, source))


def _translated(call: re.Match[str]) -> str:
    text, context, in_context = (found and found.replace('\\"', '"') for found in call.groups())
    return gettext(text) if text else pgettext(context, in_context)


class Languages:
    """An environment for each language; the backend of `django.template` sees one."""

    def __init__(self, *, loader: BaseLoader, auto_reload: bool, **_options: Any) -> None:
        self.made = cache(lambda _language: Fragments(loader, auto_reload=auto_reload))

    def get_template(self, name: str) -> Template:
        return self.made(get_language()).get_template(name)

    def from_string(self, source: str) -> Template:
        return self.made(get_language()).from_string(source)


class Fragments(Environment):
    """The environment of a language, which compiles in the current one."""

    def __init__(self, loader: BaseLoader, *, auto_reload: bool) -> None:
        super().__init__(
            loader=loader,
            auto_reload=auto_reload,
            autoescape=True,
            undefined=ChainableUndefined,
            extensions=["jinja2.ext.do", "jinja2.ext.i18n", Translated],
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.install_gettext_callables(  # type: ignore[attr-defined] # added by jinja2.ext.i18n
            gettext, ngettext, newstyle=True, pgettext=pgettext, npgettext=npgettext
        )
        self.globals |= {"url": url, "kept": KeptFragments()}
        self.filters |= of_sheets.filters
        self.filters |= {"capfirst": capfirst, "date": day, "json_script": json_script}

    def make_globals(self, own: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template: a dict, since each include copies them."""
        return {**self.globals, **(own or {})}


@lru_cache(maxsize=10_000)
def url(name: str, *args: object) -> str:
    """Return an address, as the tag `url` does."""
    return reverse(name, args=args)


MOST_KEPT = 10_000
"""Lines of 500 games take some 20 megabytes."""


class KeptFragments:
    """Renders a part once for all values that it shows.

    As `{% call kept("line", line, links) %}…{% endcall %}`: the first value names the part, and
    nothing else of the context may show in it.
    """

    def __init__(self) -> None:
        self.parts: dict[tuple[Hashable, ...], str] = {}

    def __call__(self, *values: Hashable, caller: Callable[[], str]) -> str:
        fragment = self.parts.get(values)
        if fragment is None:
            fragment = caller()
            if len(self.parts) >= MOST_KEPT:
                self.parts.clear()
            self.parts[values] = fragment
        return fragment


def day(moment: datetime | str | None, form: str | None = None) -> str:
    """Return a moment as the filter `date` of Django's language writes it: in local time."""
    return date(localtime(moment) if isinstance(moment, datetime) else moment, form)


def forms(request: HttpRequest) -> dict[str, object]:
    """The field of forms against forgery: the same in all forms of an answer, none if none has."""
    field = '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
    return {"csrf_input": SimpleLazyObject(lambda: format_html(field, get_token(request)))}


@register.simple_tag(takes_context=True)
def fragment(context: template.Context, name: str) -> SafeString:
    """Show a part that is drawn in Jinja2; it may have forms where the page has a request."""
    values = cast("dict[str, Any]", context.flatten())
    request = getattr(context, "request", None)
    return SafeString(render_to_string(name, values, request, using="fragments"))


class Pages(DjangoTemplates):
    """Django templates; the errors of a rendered form are added to the line of the log."""

    def get_template(self, template_name: str) -> "Page":
        return Page(super().get_template(template_name).template, self)


class Page(BackendTemplate):
    def render(self, context: Any = None, request: HttpRequest | None = None) -> str:
        """Render a page, and note the code of each problem that its forms show."""
        reasons = REASONS.get()
        if reasons is not None and request is not None and request.method == "POST":
            for form in (context or {}).values():
                if isinstance(form, BaseForm):
                    for field, errors in form.errors.as_data().items():
                        codes = (error.code or "refused" for error in errors)
                        reasons.update(f"{field}:{code}" for code in codes)
        return super().render(context, request)


@register.simple_tag
def request_id() -> str:
    """Return the id by which the log knows the request."""
    work = CURRENT.get()
    return work.id if work else ""


@register.simple_tag
def machine() -> int:
    """Show the number by which phones know that another machine has taken over."""
    return settings.TIMELINE


@register.simple_tag
def bundle(name: str) -> SafeString:
    """Show the style or script of a page: one file, or where no bundles are made, all of them."""
    if isinstance(staticfiles_storage, ModuleStorage):
        files = scripts = [FOLDER + name]
    else:
        files, scripts = files_of(name), [f"{each}.js" for each in settings.BUNDLES[name].split()]
    if name.endswith(".css"):
        return _each('<link rel="stylesheet" href="{}">', files)
    early = [each for each in files if each not in scripts]
    return _each('<link rel="modulepreload" href="{}">', early) + _each(
        '<script src="{}" type="module"></script>', scripts
    )


def _each(element: str, files: Iterable[str]) -> SafeString:
    return format_html_join("", element, ([staticfiles_storage.url(file)] for file in files))


# The tags `translate` and `url`, in the place of Django's: a page has some forty of each.


class KeptText(template.Node):
    """A text without values, translated once for each language."""

    def __init__(self, node: template.Node) -> None:
        self.node = node
        self.texts: dict[str | None, Any] = {}

    def render(self, context: template.Context) -> Any:
        language = get_language()
        text = self.texts.get(language)
        if text is None:
            text = self.texts[language] = self.node.render(context)
        return text


def translate(parser: template.base.Parser, token: template.base.Token) -> template.Node:
    """Show a text in the current language."""
    node: Any = i18n.do_translate(parser, token)
    text, about = node.filter_expression, node.message_context
    # A text that is written in the template looks up nothing.
    written = text.var.lookups is None and not text.filters and not (about and about.is_var)
    return KeptText(node) if written and not node.asvar else node


# Templates load it by the name `i18n`; Django's checks warn of a second library of that name.
i18n.register.tags["translate"] = translate


class KeptURL(defaulttags.URLNode):
    """An address, found once for the same arguments."""

    def render(self, context: template.Context) -> Any:
        name = self.view_name.resolve(context)
        # Those of other programs depend on where they are asked for.
        if self.kwargs or ":" in name:
            return super().render(context)
        try:
            address = url(name, *(arg.resolve(context) for arg in self.args))
        except NoReverseMatch:
            if self.asvar is None:
                raise
            address = ""
        if self.asvar:
            context[self.asvar] = address
            return ""
        return conditional_escape(address) if context.autoescape else address


@register.tag("url")
def find_address(parser: template.base.Parser, token: template.base.Token) -> template.Node:
    """Show an address, or keep it `as` a variable."""
    node: Any = defaulttags.url(parser, token)
    return KeptURL(node.view_name, node.args, node.kwargs, node.asvar)
