"""Tags and filters for score sheets, and for the pages of clubs and house rules."""

from typing import Any, Protocol

from django import template
from django.utils.formats import number_format

from tournaments.engine.documents.games import letters_of
from tournaments.engine.rules import rulesets
from tournaments.queries.states import state_name
from tournaments.texts.labels import (
    breakable_name,
    points_text,
    section_name,
    signed_points,
    stage_name,
)
from tournaments.web.clubs import views

register = template.Library()

register.filter("points", points_text)
register.filter("code", letters_of)
register.filter("signed", signed_points)
register.filter("breakable", breakable_name)
register.filter("stage_name", stage_name)
register.filter("state_name", state_name)
register.filter("section_name", section_name)


@register.filter
def grouped(number: int) -> str:
    """A count with its thousands apart, as the visitor's language writes it."""
    return str(number_format(number, force_grouping=True))


@register.simple_tag
def longest(kind: str) -> int:
    """Return the maximum length of a kind of text, e.g. `{% longest "name" %}`."""
    return int(getattr(rulesets, f"LONGEST_{kind.upper()}"))


@register.inclusion_tag("tournaments/clubs/_bar.html", takes_context=True)
def club_bar(context: template.Context) -> dict[str, Any]:
    """The bar of the page's `club`; `bar` of the page, if it has asked for it before."""
    return {"bar": context.get("bar") or views.club_bar(context["request"], context["club"])}


class HasPages(Protocol):
    """An owner of pages, such as a club with house rules."""

    def address(self, page: str, *args: str) -> str:
        """Return the address of a page."""


@register.simple_tag
def address(keeper: HasPages, page: str, *args: str) -> str:
    """Return the address of an owner's page, as `{% address keeper "try_rules" row.slug %}`."""
    return keeper.address(page, *args)
