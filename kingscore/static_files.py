"""Selects the files that browsers may request, and names them by their contents."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage


class AppFilesFinder(AppDirectoriesFinder):
    """Leaves out the files of pages that we do not have, such as a browser for the API.

    Hashing and compressing these would take a minute of the first start.
    """

    unused = ("django_htmx", "oauth2_provider", "rest_framework")

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[Any]:
        yield from super().list([*(ignore_patterns or ()), *self.unused])


COMMENTS = {
    ".css": re.compile(r"/\*.*?\*/\s*", re.DOTALL),
    # Whole lines: elsewhere two slashes may be part of a text.
    ".js": re.compile(r"^[ \t]*//.*\n", re.MULTILINE),
}


def without_comments(path: str, text: str) -> str:
    """Return a style sheet or script of ours without its comments, an eighth of its size."""
    ours = re.fullmatch(r"[^/]+(\.css|\.js)", path)
    return COMMENTS[ours[1]].sub("", text) if ours else text


class PublishedFiles:
    """Files of a storage as browsers get them."""

    def __init__(self, storage: Any) -> None:
        self.storage = storage

    def open(self, path: str) -> Any:
        if not path.endswith(tuple(COMMENTS)):
            return self.storage.open(path)
        with self.storage.open(path) as file:
            text = without_comments(path, file.read().decode())
        return ContentFile(text.encode(), name=path)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Imports of our modules name the hashed files, too."""

    support_js_module_import_aggregation = True

    def post_process(self, paths: Mapping[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        published = {name: (PublishedFiles(at), path) for name, (at, path) in paths.items()}
        yield from super().post_process(published, *args, **options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[Any]:
        """Compress files under the names that pages use; each is there without a hash, too."""
        yield from super().compress_files(set(paths) - self.hashed_files.keys())
