"""Fields that are described once: forms, the API, documents, pages and the audit follow."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tournaments.engine.rules.shapes import Shape


def gettext_noop(text: str) -> str:
    """Mark a text for translation; it is translated where it is shown."""
    return text


@dataclass(frozen=True, slots=True)
class Declared:
    """The description of a field.

    `label` names it in forms and in the audit; `question` replaces the label in forms. With `shown`
    the value stands under the name of its object. With `free` people write it as they like, so that
    it may contain a player's name.
    """

    shape: Shape
    label: str
    question: str = ""
    shown: bool = False
    free: bool = False


def declared(shape: Shape, label: str, **more: Any) -> Mapping[str, Declared]:
    """Return the metadata of a dataclass field: its description."""
    return {"declared": Declared(shape, label, **more)}


def declared_fields(kind: type) -> Mapping[str, Declared]:
    """Return the described fields of a dataclass, in their order."""
    return {
        each.name: each.metadata["declared"] for each in fields(kind) if "declared" in each.metadata
    }
