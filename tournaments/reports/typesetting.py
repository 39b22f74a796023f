"""Typeset documents with typst: a template and its data in, a PDF out.

Run as a program, it sets one document and ends, because typst's caches for a large document stay in
the memory of its process: python typesetting.py TEMPLATE DATA.json DOCUMENT.pdf [FONTS ...]
"""

import json
import os
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    # Loaded by whoever typesets: web servers do not.
    import typst
    from PIL import ImageFont

HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "typst"
FONTS = HERE / "fonts"

ACCESSIBLE = ["ua-1"]
FUNCTIONS = {"scoresheet.typ", "sheets.typ"}
"""Templates that define a function `document`, which gets the data.

Data in `sys.inputs` would make typst forget all that it has set for other games.
"""

JOINERS = "\u200c\u200d"


def typeset(template: str, data: Mapping[str, Any]) -> bytes:
    """Return the PDF of a template filled with `data`, tagged for screen readers (PDF/UA-1).

    The data are passed as JSON, never as markup, so that no player's name can be a command. Bytes,
    such as a logo, are passed as a list of numbers, which typst converts back.

    Raises: typst.TypstError: the template cannot be set.
    """
    return typeset_json(template, json.dumps(printable(data)))


def typeset_json(template: str, data: str) -> bytes:
    """Return the PDF of a template filled with data that are printable JSON already.

    Raises: typst.TypstError: the template cannot be set.
    """
    import typst

    try:
        return _compile(template, data, format="pdf", pdf_standards=ACCESSIBLE)
    except typst.TypstError as error:
        # PDF/UA forbids a letter that no font has. A name with one is still worth printing:
        # the letter shows as a box and can be copied from the PDF.
        if "could not be displayed" not in error.message:
            raise
        return _compile(template, data, format="pdf", pdf_standards=[])


POINTS_PER_INCH = 72


def draw_json(template: str, data: str, pixels_per_inch: float = POINTS_PER_INCH) -> bytes:
    """Return the PNG of a template of one page, by default with a pixel for each point of the page.

    Raises: typst.TypstError: the template cannot be set.
    """
    return _compile(template, data, format="png", ppi=pixels_per_inch)


LONGEST = 300
"""Seconds after which typesetting of one part is given up."""


def typeset_apart(template: str, data: bytes, path: Path, waiting: Callable[[], None]) -> None:
    """Typeset a document into a file like `typeset_json`, but in a process of its own.

    `waiting` is called a few times a second meanwhile; an exception it raises ends the process.

    Raises:
        RuntimeError: the template cannot be set; has the last line of the error.
        TimeoutError: it took longer than the limit.
    """
    source = path.with_suffix(".json")
    source.write_bytes(data)
    words = [sys.executable, str(Path(__file__)), template, str(source), str(path)]
    words += map(str, settings.DOCUMENT_FONTS)
    deadline = time.monotonic() + LONGEST
    # A book of 100 sheets takes 1.8 s, with one thread 2.5 s; more would be taken from web servers.
    two = os.environ | {"RAYON_NUM_THREADS": "2"}
    errors: str | None = None
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=two) as setter:
        try:
            while errors is None:
                waiting()
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{template} takes longer than {LONGEST} s")
                # Unlike `wait`, which looks every 50 ms, this ends as soon as the process does.
                with suppress(subprocess.TimeoutExpired):
                    errors = setter.communicate(timeout=0.2)[1]
        finally:
            setter.kill()
    if setter.returncode:
        raise RuntimeError((errors.strip().splitlines() or ["killed"])[-1])


def _compile(template: str, data: str, **form: Any) -> bytes:
    if template in FUNCTIONS:
        # Nothing ends this text but a backtick.
        text = data.replace("`", r"\u0060")
        source = f'#import "{template}": document\n#document(json(bytes(`{text}`.text)))'
        document = _compiler().compile(source.encode(), sys_inputs={}, **form)
    else:
        inputs = {"data": data}
        document = _compiler().compile(TEMPLATES / template, sys_inputs=inputs, **form)
    if not isinstance(document, bytes):
        raise TypeError("a document is one file")
    return document


_of_thread = local()


def _compiler() -> "typst.Compiler":
    """Return the compiler of this thread: it keeps its templates parsed."""
    import typst

    if not hasattr(_of_thread, "compiler"):
        _of_thread.compiler = typst.Compiler(root=TEMPLATES, font_paths=_fonts())
    compiler: typst.Compiler = _of_thread.compiler
    return compiler


@cache
def _fonts() -> "typst.Fonts":
    """Return our fonts, and those of the setting for letters that ours lack.

    Fonts of the machine would make a document differ from one machine to the next.
    """
    import typst

    folders = [FONTS, *settings.DOCUMENT_FONTS]
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=folders)


def missing_letters(text: str) -> str:
    """Return the letters of a text that no font of documents has: they print as boxes."""
    # Ours have the alphabets up to the Cyrillic one. Marks and joiners change the letter before.
    rare = sorted({c for c in text if c > "\u0530" and unicodedata.category(c)[0] not in "CM"})
    if not rare:
        return ""
    pens = _pens(FONTS, *settings.DOCUMENT_FONTS)
    found = (c for c in rare[:200] if all(_draw(pen, c) == _draw(pen, ABSENT) for pen in pens))
    return "".join(found)


ABSENT = "\U0010ffff"


def _draw(pen: "ImageFont.FreeTypeFont", letter: str) -> bytes:
    return bytes(pen.getmask(letter))


@cache
def _pens(*folders: Path) -> "list[ImageFont.FreeTypeFont]":
    from PIL import ImageFont

    files = (path for folder in folders for path in folder.rglob("*.[to]t[fc]"))
    # The only size of Noto Color Emoji.
    return [ImageFont.truetype(path, 109) for path in files]


def printable(value: Any) -> Any:
    """`value` with every text on one line, without control characters and lone surrogates."""
    if isinstance(value, str):
        spaced = " ".join(value.split())
        if spaced.isprintable():
            return spaced
        return "".join(
            c for c in spaced if c in JOINERS or not unicodedata.category(c).startswith("C")
        )
    if isinstance(value, Mapping):
        return {key: printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [printable(item) for item in value]
    if isinstance(value, bytes):
        # 120 kB take 60 ms and appear once in the PDF; as base64 inside an SVG they took 800 ms.
        return list(value)
    return value


if __name__ == "__main__":
    # The waiting process may have been killed.
    signal.alarm(LONGEST)
    what, taken_from, put_into, *folders = sys.argv[1:]
    settings.configure(DOCUMENT_FONTS=folders)
    Path(put_into).write_bytes(typeset_json(what, Path(taken_from).read_text()))
