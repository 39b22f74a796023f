"""Every code a problem can have, gathered from the source of the API that gives it.

Nothing is listed twice: a code is known because `refuses`, `Answer`, `fault` or `ErrorDetail` is
written with it somewhere in this package, because the engine has it, or because a field that some
request has refuses with it.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django import forms
from django.core.validators import DecimalValidator
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView

from tournaments.api.problems import CODES
from tournaments.messages import SENTENCES
from tournaments.services.importing import words as importing
from tournaments.services.importing.faults import Wrong

Sentences = dict[str, str]

PLACES = {
    "Answer": (1, 2),
    "refuses": (1, 2),
    "fault": (0, 2),
    "ErrorDetail": (1, 0),
    "ValidationError": (1, 0),
}
"""Where code and sentence stand among what these are called with."""

OF_FRAMEWORK = (
    exceptions.MethodNotAllowed,
    exceptions.NotAcceptable,
    exceptions.UnsupportedMediaType,
)


def kinds_of_problems() -> Sentences:
    """Each code that an answer as a whole can have, with its sentence."""
    found = {_dashed(e.default_code): str(e.default_detail) for e in OF_FRAMEWORK}
    # Where a code has several sentences that of `refuses`, which is for all, counts.
    return dict(sorted({**found, **_written({"Answer"}), **_written({"refuses"})}.items()))


def faults() -> Sentences:
    """Each code that a single fault can have, with its sentence, empty where it has several."""
    of_engine = {code.value: str(sentence) for code, sentence in SENTENCES.items()}
    of_imports = {code.value: str(importing.SENTENCES.get(code, "")) for code in Wrong}
    given = _written({"fault", "ErrorDetail", "ValidationError"})
    written = {CODES.get(code, code): text for code, text in given.items()}
    found = {**_of_filters(), **_of_fields(), **of_imports, **written, **of_engine}
    return dict(sorted(found.items()))


def _written(callers: Iterable[str]) -> Sentences:
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sources]
    pairs = [pair for tree in trees for pair in _calls(tree, frozenset(callers))]
    return dict(pairs)


def _calls(tree: ast.Module, callers: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Code and sentence of each call that names its code."""
    for nodes in _scopes(tree):
        titles = _titles(nodes)
        for call in nodes:
            name = _name(call.func) if isinstance(call, ast.Call) else ""
            if name in callers and isinstance(call, ast.Call):
                code, sentence = (_argument(call, place) for place in PLACES[name])
                if isinstance(code, ast.Constant) and isinstance(code.value, str):
                    yield code.value, _text(sentence, titles)


def _scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """What is in each function, and what is in none."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = [list(ast.walk(function)) for function in functions]
    seen = {id(node) for nodes in inside for node in nodes}
    yield [node for node in ast.walk(tree) if id(node) not in seen]
    yield from inside


def _titles(nodes: Iterable[ast.AST]) -> Sentences:
    """What is kept under a name before it is used: `title = _("…")`."""
    return {
        target.id: _text(node.value, {})
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _argument(call: ast.Call, place: int) -> ast.expr | None:
    return call.args[place] if place < len(call.args) else None


def _text(node: ast.expr | None, titles: Sentences) -> str:
    if isinstance(node, ast.Call) and node.args:
        return _text(node.args[0], titles)
    if isinstance(node, ast.Name):
        return titles.get(node.id, "")
    if isinstance(node, ast.BinOp):
        return _text(node.left, titles)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _of_filters() -> Sentences:
    """What the filters of all lists can find wrong; the sentences are Django's."""
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
    """What the fields of all requests can find wrong."""
    fields = [f for shape in _shapes(serializers.Serializer) for f in _fields_of(shape)]
    return {code: text for field in fields for code, text in _refusals_of(field)}


def _fields_of(shape: type[serializers.Serializer[Any]]) -> Iterator[Any]:
    for field in shape._declared_fields.values():  # noqa: SLF001 - fields of classes have no door
        yield from filter(None, (field, getattr(field, "child", None)))


def _refusals_of(field: Any) -> Iterator[tuple[str, str]]:
    """Code and sentence of all that a field can refuse."""
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
