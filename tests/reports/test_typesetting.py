"""Fonts of documents: ours, and those that a setting names; never those of the machine."""

import io
import json
import struct

import pikepdf
import pytest
from django.utils import translation

from tournaments.reports.sheets import compose_scoresheet
from tournaments.reports.typesetting import FONTS, printable, typeset_apart

STRANGE = 0x20000
"""A rare Chinese letter, which our fonts lack; it comes after all that they have."""


def font_with(letter):
    """Our font under another name, in which a letter looks like the last one that it has."""
    font = (FONTS / "DejaVuSans.ttf").read_bytes()
    font = font.replace("DejaVu Sans".encode("utf-16-be"), "DejaVu Sons".encode("utf-16-be"))
    font = font.replace(b"DejaVu Sans", b"DejaVu Sons").replace(b"DejaVuSans", b"DejaVuSons")
    tables = struct.unpack_from(">H", font, 4)[0]
    records = (struct.unpack_from(">4sIII", font, 12 + 16 * each) for each in range(tables))
    [cmap] = [offset for tag, _sum, offset, _length in records if tag == b"cmap"]
    for each in range(struct.unpack_from(">H", font, cmap + 2)[0]):
        [offset] = struct.unpack_from(">I", font, cmap + 4 + 8 * each + 4)
        if struct.unpack_from(">H", font, cmap + offset)[0] == 12:
            [groups] = struct.unpack_from(">I", font, cmap + offset + 12)
            last = cmap + offset + 16 + 12 * (groups - 1)
            _first, _last, glyph = struct.unpack_from(">III", font, last)
            return font[:last] + struct.pack(">III", letter, letter, glyph) + font[last + 12 :]
    raise AssertionError("the font has no table of all letters")


@pytest.fixture
def typeset_with(record, tmp_path, monkeypatch, settings):
    """Set a sheet with the strange letter on a machine with a font, and with one that is named."""

    def typeset(machine=(), named=()):
        home = tmp_path / "home"
        for folder, fonts in ((home / ".local/share/fonts", machine), (tmp_path / "named", named)):
            folder.mkdir(parents=True, exist_ok=True)
            for number, font in enumerate(fonts):
                (folder / f"{number}.ttf").write_bytes(font)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        settings.DOCUMENT_FONTS = [tmp_path / "named"]
        with translation.override("tr"):
            data = compose_scoresheet(record(title="Oyun"), "https://a.example/")
        data["follow"]["caption"] = chr(STRANGE)
        path = tmp_path / "sheet.pdf"
        typeset_apart("scoresheet.typ", json.dumps(printable(data)).encode(), path, lambda: None)
        return path.read_bytes()

    return typeset


def is_accessible(document):
    """A PDF with a letter that no font has does not conform to PDF/UA."""
    return "pdfuaid:part" in pikepdf.open(io.BytesIO(document)).open_metadata()


def test_fonts_of_the_machine_change_no_document(typeset_with):
    plain = typeset_with()

    assert not is_accessible(plain)
    assert typeset_with(machine=[font_with(STRANGE)]) == plain


def test_fonts_that_the_setting_names_lend_the_letters_that_ours_lack(typeset_with):
    assert is_accessible(typeset_with(named=[font_with(STRANGE)]))
