"""Which files of installed apps a browser may ever ask for."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib.staticfiles.finders import AppDirectoriesFinder


class AppFilesFinder(AppDirectoriesFinder):
    """Leaves out what belongs to pages we do not have, as a browser for the API.

    Naming and compressing these would take a minute of the first start.
    """

    unused = ("django_htmx", "rest_framework")

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[Any]:
        """All other files."""
        yield from super().list([*(ignore_patterns or ()), *self.unused])
