"""The tags `translate` and `url`, in the place of Django's: they remember what they have shown.

A page has some forty of each.
"""

from typing import Any

from django import template
from django.template import defaulttags
from django.templatetags import i18n
from django.urls import NoReverseMatch
from django.utils.html import conditional_escape
from django.utils.translation import get_language

from kingscore.fragments import url

register = template.Library()


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
