"""Every code a problem can have: of refusals, of the engine, and of the fields of requests."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.validators import DecimalValidator
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView

from tournaments.api.problems import CODES
from tournaments.services.base.writes import Fault, kinds_of
from tournaments.services.imports import records as importing
from tournaments.services.imports.files import Wrong
from tournaments.texts.messages import SENTENCES

Sentences = dict[str, str]

FRAMEWORK_ERRORS = (
    exceptions.MethodNotAllowed,
    exceptions.NotAcceptable,
    exceptions.UnsupportedMediaType,
)


def kinds_of_problems() -> Sentences:
    found = {_dashed(e.default_code): str(e.default_detail) for e in FRAMEWORK_ERRORS}
    for each in kinds_of():
        if not issubclass(each, Fault):
            found[each.code] = str(each.sentence)
    return dict(sorted(found.items()))


def faults() -> Sentences:
    """Each code that a single fault can have, with its sentence, empty where it has several."""
    engine = {code.value: str(sentence) for code, sentence in SENTENCES.items()}
    imports = {code.value: str(importing.SENTENCES.get(code, "")) for code in Wrong}
    refused = {e.code: str(e.sentence) for e in kinds_of() if e.listed or e.in_lists}
    found = {**_filter_faults(), **_field_faults(), **imports, **refused, **engine}
    return dict(sorted(found.items()))


def _filter_faults() -> Sentences:
    views = [
        view for view in _classes(GenericAPIView) if getattr(view, "queryset", None) is not None
    ]
    found = [DjangoFilterBackend().get_filterset_class(view(), view.queryset) for view in views]
    filters = [each for filterset in found if filterset for each in filterset.base_filters.values()]
    return {code: text for each in filters for code, text in _refused(each.field)}


def _refused(field: forms.Field) -> Iterator[tuple[str, str]]:
    for validator in field.validators:
        if isinstance(validator, DecimalValidator):
            yield from ((_dashed(code), "") for code in validator.messages if code != "invalid")
        elif code := getattr(validator, "code", ""):
            yield CODES.get(code, _dashed(code)), ""
    yield from ((CODES.get(code, _dashed(code)), "") for code in field.error_messages)


def _field_faults() -> Sentences:
    own: Sentences = {}
    fields: Sentences = {}
    for serializer in _classes(serializers.Serializer):
        errors = vars(serializer).get("default_error_messages", {})
        own |= {_dashed(code): str(text) for code, text in errors.items()}
        for declared in serializer._declared_fields.values():  # noqa: SLF001 - no public name
            for field in filter(None, (declared, getattr(declared, "child", None))):
                if not field.read_only:
                    texts = [(getattr(v, "code", ""), v.message) for v in field.validators]
                    for code, text in (*field.error_messages.items(), *texts):
                        fields[CODES.get(code, _dashed(code))] = str(text)
    return own | fields


def _classes(base: Any) -> Iterator[Any]:
    """Yield the subclasses of the API."""
    for each in base.__subclasses__():
        if each.__module__.startswith("tournaments.api."):
            yield each
        yield from _classes(each)


def _dashed(code: str) -> str:
    return code.replace("_", "-")
