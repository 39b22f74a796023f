"""Selects the files that browsers may request, names them by their contents, and bundles them.

A page has one script and one style, listed in `settings.BUNDLES`. They are made when the files are
collected; where none are, as in most tests, pages load the files themselves.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

try:
    import minify
except ImportError:  # There is no wheel for this machine.
    minify = None


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


FOLDER = "pages/"
SOURCE = Path(settings.STATICFILES_DIRS[0])
IMPORT = re.compile(r'^import (?:\* as (\w+)|(\{[^}]+\})) from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (\{[^}]+\});\n", re.MULTILINE)
LATER = re.compile(r'import\("\./(\w+)\.js"\)')


@cache
def files_of(bundle: str) -> list[str]:
    """Return the files of a bundle in the order of loading: scripts after all that they import."""
    found: list[str] = []

    def add(file: str) -> None:
        if file not in found:
            for *_names, module in IMPORT.findall((SOURCE / file).read_text()):
                add(f"{module}.js")
            found.append(file)

    kind = bundle.rpartition(".")[2]
    for name in settings.BUNDLES[bundle].split():
        add(f"{name}.{kind}")
    return found


def text_of(bundle: str) -> str:
    """Return style sheets one after the other, or modules, each in a function of its own.

    The function returns what the module exports. What it imports later is loaded later.
    """
    files = files_of(bundle)

    def import_again(found: re.Match[str]) -> str:
        names = found[1] or found[2].replace(" as ", ": ")
        return f"const {names} = ${found[3]};\n"

    def import_later(found: re.Match[str]) -> str:
        is_here = f"{found[1]}.js" in files
        return f"Promise.resolve(${found[1]})" if is_here else f'import("../{found[1]}.js")'

    texts = []
    for file in files:
        text = without_comments(file, (SOURCE / file).read_text())
        if file.endswith(".js"):
            text = IMPORT.sub(import_again, text)
            text = LATER.sub(import_later, EXPORT.sub(r"return \1;\n", text))
            text = f"const ${file.removesuffix('.js')} = (() => {{\n{text}}})();\n"
        texts.append(text)
    whole = "".join(texts)
    kind = "text/css" if bundle.endswith(".css") else "application/javascript"
    return minify.string(kind, whole) if minify else whole


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
    """Has the bundles, too; imports of our modules name the hashed files."""

    support_js_module_import_aggregation = True

    def post_process(self, paths: Mapping[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        published = {name: (PublishedFiles(at), path) for name, (at, path) in paths.items()}
        for name in settings.BUNDLES:
            path = FOLDER + name
            self.delete(path)
            self.save(path, ContentFile(text_of(name)))
            published[path] = self, path
        yield from super().post_process(published, *args, **options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[Any]:
        """Compress files under the names that pages use; each is there without a hash, too."""
        yield from super().compress_files(set(paths) - self.hashed_files.keys())
