"""Show refusals of a service on a form, or as a message."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.services.base.writes import Refused
from tournaments.texts.messages import explain


def add_refused(
    form: forms.Form, error: Refused | InvalidEntry, instead: str | None = None
) -> None:
    """Add each reason to its field, or to the field `instead` if the form has no such field."""
    if isinstance(error, InvalidEntry):
        for problem in error.problems:
            form.add_error(instead, explain(problem))
        return
    for each in error.faults or [error]:
        field = each.where.rpartition(".")[2]
        form.add_error(field if field in form.fields else instead, str(each))


@contextmanager
def refusal_shown(request: HttpRequest) -> Iterator[None]:
    """Show a refusal as a message on the next page."""
    try:
        yield
    except Refused as error:
        messages.error(request, str(error))
