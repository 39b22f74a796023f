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

OF_FRAMEWORK = (
    exceptions.MethodNotAllowed,
    exceptions.NotAcceptable,
    exceptions.UnsupportedMediaType,
)


def kinds_of_problems() -> Sentences:
    found = {_dashed(e.default_code): str(e.default_detail) for e in OF_FRAMEWORK}
    for each in kinds_of():
        if not issubclass(each, Fault):
            found[each.code] = str(each.sentence)
    return dict(sorted(found.items()))


def faults() -> Sentences:
    """Each code that a single fault can have, with its sentence, empty where it has several."""
    of_engine = {code.value: str(sentence) for code, sentence in SENTENCES.items()}
    of_imports = {code.value: str(importing.SENTENCES.get(code, "")) for code in Wrong}
    refused = {e.code: str(e.sentence) for e in kinds_of() if e.listed or e.in_lists}
    found = {**_of_filters(), **_of_fields(), **of_imports, **refused, **of_engine}
    return dict(sorted(found.items()))


def _of_filters() -> Sentences:
    """The faults that filters of lists find; the sentences are Django's."""
    views = [
        view for view in _shapes(GenericAPIView) if getattr(view, "queryset", None) is not None
    ]
    shapes = [DjangoFilterBackend().get_filterset_class(view(), view.queryset) for view in views]
    filters = [each for shape in shapes if shape for each in shape.base_filters.values()]
    return {code: text for each in filters for code, text in _refused(each.field)}


def _refused(field: forms.Field) -> Iterator[tuple[str, str]]:
    for validator in field.validators:
        if isinstance(validator, DecimalValidator):
            yield from ((_dashed(code), "") for code in validator.messages if code != "invalid")
        elif code := getattr(validator, "code", ""):
            yield CODES.get(code, _dashed(code)), ""
    yield from ((CODES.get(code, _dashed(code)), "") for code in field.error_messages)


def _of_fields() -> Sentences:
    shapes = list(_shapes(serializers.Serializer))
    fields = [field for shape in shapes for field in _fields_of(shape)]
    own = {_dashed(c): str(text) for each in shapes for c, text in _errors_of(each).items()}
    return own | {code: text for field in fields for code, text in _refusals_of(field)}


def _errors_of(shape: type[serializers.Serializer[Any]]) -> Sentences:
    errors: Sentences = vars(shape).get("default_error_messages", {})
    return errors


def _fields_of(shape: type[serializers.Serializer[Any]]) -> Iterator[Any]:
    for field in shape._declared_fields.values():  # noqa: SLF001 - no public name
        yield from filter(None, (field, getattr(field, "child", None)))


def _refusals_of(field: Any) -> Iterator[tuple[str, str]]:
    if not field.read_only:
        by_validators = ((getattr(v, "code", ""), v.message) for v in field.validators)
        for code, text in (*field.error_messages.items(), *by_validators):
            yield CODES.get(code, _dashed(code)), str(text)


def _shapes(kind: Any) -> Iterator[Any]:
    for shape in kind.__subclasses__():
        if shape.__module__.startswith("tournaments.api."):
            yield shape
        yield from _shapes(shape)


def _dashed(code: str) -> str:
    return code.replace("_", "-")
