"""The tag `kept`: parts of templates that are rendered once for the same values."""

from typing import Any

from django import template
from django.template.base import FilterExpression, Parser, Token
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()

MOST_KEPT = 2000
"""Renderings kept of each place in a template; they take up to a few megabytes."""


class KeptNode(template.Node):
    """Renders its part of a template once for the same values and language in this process."""

    def __init__(self, nodelist: template.NodeList, values: list[FilterExpression]) -> None:
        self.nodelist, self.values = nodelist, values
        self.kept: dict[tuple[Any, ...], SafeString] = {}

    def render(self, context: template.Context) -> SafeString:
        key = (
            get_language(),
            *[each.resolve(context, ignore_failures=True) for each in self.values],
        )
        kept = self.kept.get(key)
        if kept is None:
            kept = self.nodelist.render(context)
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            self.kept[key] = kept
        return kept


@register.tag("kept")
def keep(parser: Parser, token: Token) -> KeptNode:
    """Render a part once for all values that it shows, as `{% kept line links %}…{% endkept %}`.

    The values must be immutable, and nothing else of the context may show in the part.
    """
    values = [parser.compile_filter(word) for word in token.split_contents()[1:]]
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(nodelist, values)
