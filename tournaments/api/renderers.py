"""JSON in one form, whatever `Accept` says: entity tags are made of it."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer


class PlainJSONRenderer(JSONRenderer):
    """JSON without spaces; an answer that is a problem says so in its type."""

    charset = None

    def get_indent(
        self, accepted_media_type: str, renderer_context: Mapping[str, Any]
    ) -> int | None:
        return None
