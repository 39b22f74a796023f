"""JSON in one form, whatever `Accept` says: entity tags are made of it."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from tournaments.engine.rules.entries import write_points


class PointsEncoder(JSONEncoder):
    """Writes points that are not whole as `"p/q"`, wherever they are in a response."""

    def default(self, obj: Any) -> Any:
        return write_points(obj) if isinstance(obj, Fraction) else super().default(obj)


class PlainJSONRenderer(JSONRenderer):
    """JSON without spaces; an answer that is a problem says so in its type."""

    charset = None
    encoder_class = PointsEncoder

    def get_indent(
        self, accepted_media_type: str, renderer_context: Mapping[str, Any]
    ) -> int | None:
        return None
