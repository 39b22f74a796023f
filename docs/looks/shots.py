"""Makes the pictures of the documentation from the pages themselves: `make looks`.

Names as words make only these: `python -m docs.looks.shots evening standings tr/contract`. Every
picture wants to be looked at before it is committed.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import django
from PIL import Image

from docs.looks.site import ROOT, browser_of, demo_site

LOOKS = ROOT / "docs" / "looks"
GUIDE = ROOT / "static" / "guide"
"""The folder of the guide's pictures, with a folder for each language."""

COLOURS = 64
"""Enough colours for these pages; the files are a quarter of the size."""

STEPS = ("start", "contract", "count", "correct", "pen", "follow", "no-signal", "end", "pdf")
LANGUAGES = ("en", "tr", "it")


def makes() -> dict[str, Path]:
    """Every picture, with its path."""
    from docs.looks import in_club

    ours = {name: LOOKS / f"{name}.png" for name in in_club.names()}
    guide = {
        f"{language}/{step}": GUIDE / language / f"{step}.png"
        for language in LANGUAGES
        for step in STEPS
    }
    wide = ROOT / "static" / "kingscore-wide.png"
    return {"table": LOOKS / "table.png", "wide": wide, **ours, **guide}


def pictures(wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    """Take the wanted pictures of a temporary site."""
    from docs.looks import at_table, in_club

    with (
        tempfile.TemporaryDirectory() as folder,
        demo_site(Path(folder)) as port,
        browser_of(port) as browser,
    ):
        for language in LANGUAGES:
            if wanted & _on_the_way(language):
                for name, picture in at_table.pictures_of(browser, language):
                    yield name if name == "table" else f"{language}/{name}", picture
        if "wide" in wanted:
            yield "wide", in_club.wide_picture(browser)
        yield from in_club.pictures_of(browser, wanted)


def _on_the_way(language: str) -> set[str]:
    """The pages of a language's game; in English the whole table page."""
    steps = {f"{language}/{step}" for step in STEPS}
    return {*steps, "table"} if language == "en" else steps


def pressed(picture: bytes) -> bytes:
    """The picture with fewer colours."""
    small = BytesIO()
    with Image.open(BytesIO(picture)) as image:
        # Of Pillow's methods the one that keeps the colours of small shapes.
        method, undithered = Image.Quantize.FASTOCTREE, Image.Dither.NONE
        few = image.convert("RGB").quantize(COLOURS, method=method, dither=undithered)
    few.save(small, "PNG", optimize=True)
    return small.getvalue()


def main(words: list[str]) -> None:
    """Make the named pictures, or all."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")
    django.setup()
    places = makes()
    wanted = set(words) or set(places)
    if unknown := wanted - set(places):
        sys.exit(f"No such picture: {', '.join(sorted(unknown))}")
    for name, picture in pictures(wanted):
        if name in wanted:
            places[name].parent.mkdir(parents=True, exist_ok=True)
            places[name].write_bytes(pressed(picture))
            print(f"{places[name].relative_to(ROOT)}: {places[name].stat().st_size // 1000} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
