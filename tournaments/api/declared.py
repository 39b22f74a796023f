"""Serializer fields made from the description of a field."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers

from tournaments.api.fields import LineField
from tournaments.engine.rules.entries import Declared


def declared_field(about: Declared, **how: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return the serializer field of a described field."""
    schema = about.shape.schema
    if schema.get("type") == "boolean":
        return serializers.BooleanField(**how)
    if schema.get("format") == "date":
        return serializers.DateField(**how)
    if "enum" in schema:
        # Labelled as Django labels choices, from which the ids of enums in the description come.
        choices = [(each, each.capitalize()) for each in schema["enum"]]
        return serializers.ChoiceField(choices, **how)
    if "pattern" in schema:
        # The empty text is allowed apart from the pattern, which ends in ?$.
        return serializers.RegexField(
            schema["pattern"].removesuffix("?$") + "$",
            max_length=schema["maxLength"],
            allow_blank=True,
            **how,
        )
    blank = not schema.get("minLength")
    return LineField(max_length=schema["maxLength"], allow_blank=blank, **how)


class DeclaredFields(serializers.Serializer[Any]):
    """Adds the described fields that the serializer does not declare itself.

    They are optional unless `needed`. `prefix` leads to the object that has them.
    """

    described: ClassVar[Mapping[str, Declared]] = {}
    prefix: ClassVar[str] = ""
    needed: ClassVar[bool] = False

    def get_fields(self) -> dict[str, Any]:
        found = super().get_fields()
        for name, about in self.described.items():
            if name not in found:
                where = {"source": self.prefix + name} if self.prefix else {}
                found[name] = declared_field(about, required=self.needed, **where)
        return found
