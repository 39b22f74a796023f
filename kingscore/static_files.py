"""Selects the files that browsers may request, and names them by their contents."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib.staticfiles.finders import AppDirectoriesFinder
from whitenoise.storage import CompressedManifestStaticFilesStorage


class AppFilesFinder(AppDirectoriesFinder):
    """Leaves out the files of pages that we do not have, such as a browser for the API.

    Hashing and compressing these would take a minute of the first start.
    """

    unused = ("django_htmx", "rest_framework")

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[Any]:
        yield from super().list([*(ignore_patterns or ()), *self.unused])


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Imports of our modules name the hashed files, too."""

    support_js_module_import_aggregation = True
