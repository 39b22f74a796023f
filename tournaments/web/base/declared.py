"""Form fields made from the description of a field."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from tournaments.engine.rules.entries import Declared
from tournaments.texts.documents import Text, choices_of
from tournaments.web.base.fields import LineField


def declared_field(about: Declared, choices: Mapping[str, Text] | None = None) -> forms.Field:
    """Return the form field of a described field; `choices` are the names of its values."""
    schema, label = about.shape.schema, gettext_lazy(about.question or about.label)
    if choices is not None:
        return forms.ChoiceField(label=label, choices=choices_of(choices), widget=forms.RadioSelect)
    if schema["type"] == "boolean":
        return forms.BooleanField(label=label, required=False)
    if schema.get("format") == "date":
        return day_field(label)
    if "pattern" in schema:
        picker = forms.TimeInput(attrs={"type": "time"})
        return forms.RegexField(schema["pattern"], label=label, required=False, widget=picker)
    attributes = {"autocomplete": "off"} if about.free else {}
    return LineField(
        label=label,
        max_length=schema["maxLength"],
        required=schema.get("minLength", 0) > 0,
        widget=forms.TextInput(attributes),
    )


def day_field(label: Any) -> forms.DateField:
    """Return a date field with the browser's own date picker."""
    picker = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    return forms.DateField(label=label, widget=picker)
