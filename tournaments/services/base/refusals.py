"""Refusals: one sentence and one code each, shared by pages and API."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from tournaments.texts.labels import Text


class Refused(Exception):
    """The request is refused; `str` gives the sentence for the reader.

    `params` fill the sentence, `data` is for programs, and `faults` are the single problems.
    `where` is the field concerned; `headers` are added to the response.
    """

    code: str = ""
    status: int = 409
    listed: ClassVar[bool] = False
    """Whether the API's problem lists it as a fault, with `data` as its params."""

    in_lists: ClassVar[bool] = False
    """Whether one of several faults may be of this kind, too."""

    sentence: Text = ""
    where: str = ""
    headers: Mapping[str, str] = {}

    def __init_subclass__(cls, **about: Any) -> None:
        for name, value in about.items():
            assert hasattr(cls, name), name
            setattr(cls, name, value)

    def __init__(
        self,
        params: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        faults: Sequence["Refused"] = (),
        *,
        where: str = "",
        sentence: Text = "",
    ) -> None:
        self.where, self.sentence = where or self.where, sentence or self.sentence
        self.params, self.data, self.faults = params or {}, data or {}, faults
        super().__init__(params, data, faults)

    def __str__(self) -> str:
        return str(self.sentence) % self.params if self.params else str(self.sentence)


class ChangedMeanwhile(Refused, code="changed-meanwhile", status=412):
    """The object has another entity tag now: `tag`."""

    sentence = _("It has changed since you read it.")

    def __init__(
        self,
        tag: str,
        params: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(params, data)
        self.headers = {"ETag": tag}


class Invalid(Refused, code="invalid", status=422):
    """The input has `faults`."""

    sentence = _("What was sent cannot be.")


class Fault(Refused, status=422, listed=True):
    """One problem in the input; raised alone, it makes the whole input invalid."""


def kinds_of(base: type[Refused] = Refused) -> Iterator[type[Refused]]:
    """Yield all refusals that have a code; those that refine another's code come last."""
    for each in base.__subclasses__():
        if "code" in vars(each):
            yield each
        yield from kinds_of(each)
