"""Read the PDF objects that typst writes, and pack them into a new file.

Libraries that keep every object of a document in memory take 3 kB for each: the 350,000 objects of
1,000 scoresheets took pikepdf 20 s and 1.5 GB. Here the objects stay bytes.
"""

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from struct import Struct
from typing import BinaryIO

STRING = rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)"
REFERENCE = re.compile(rb"(\d+) 0 R")
# Text inside a string can look like a reference.
REFERENCE_OR_STRING = re.compile(STRING + rb"|(\d+) 0 R", re.DOTALL)

PACKED = 200
"""Objects compressed together: fewer compress worse, more are slower to find."""

# An entry of the cross-reference stream: type, location, and index there.
ENTRY = Struct(">BIH")
WIDTHS = b"1 4 2"
FREE, ALONE, IN_A_PACK = 0, 1, 2

Objects = dict[int, bytes]


class UnknownPdf(ValueError):
    """A PDF with a structure other than that written by typst."""


def read_objects(document: bytes) -> tuple[Objects, bytes]:
    """Return the objects of a document by their numbers, and its trailer.

    Raises:
        UnknownPdf: they are not listed as typst lists them.
    """
    table, mark, trailer = document.rpartition(b"trailer\n")
    if not mark:
        raise UnknownPdf("no plain list of objects")
    start = int(trailer.partition(b"startxref\n")[2].split()[0])
    head, *lines = table[start:].splitlines()[1:]
    first, count = map(int, head.split())
    if first != 0 or len(lines) != count:
        raise UnknownPdf("no plain list of objects")
    used = ((int(line[:10]), number) for number, line in enumerate(lines) if line[17:18] == b"n")
    places = [*sorted(used), (start, 0)]
    spans = pairwise(places)
    objects = {number: _body(document[begin:end]) for (begin, number), (end, _next) in spans}
    return objects, trailer


def _body(text: bytes) -> bytes:
    """Return an object without its `obj` and `endobj` keywords."""
    body, _end, _rest = text.partition(b" 0 obj\n")[2].rpartition(b"\nendobj")
    return body


def renumbered(body: bytes, numbers: Sequence[bytes]) -> bytes:
    """Return an object with its references replaced; `numbers` has new ones by old number."""

    def new(match: re.Match[bytes]) -> bytes:
        old = match[1]
        return match[0] if old is None else numbers[int(old)]

    text, stream, data = body.partition(b">>\nstream\n")
    # The pattern that also matches strings takes three times as long.
    pattern = REFERENCE_OR_STRING if b"(" in text else REFERENCE
    return pattern.sub(new, text) + stream + data


def reference(body: bytes, name: bytes) -> int:
    """Return the number of the object that an object refers to by name.

    Raises:
        UnknownPdf: there is no such reference.
    """
    found = re.search(re.escape(name) + rb" (\d+) 0 R", body)
    if found is None:
        raise UnknownPdf(f"no {name.decode()}")
    return int(found[1])


def references(body: bytes, name: bytes) -> list[int]:
    """Return the object numbers in an object's list of this name; empty without one."""
    found = re.search(re.escape(name) + rb"\[([^\]]*)\]", body)
    return [int(number) for number in re.findall(rb"(\d+) 0 R", found[1])] if found else []


def text_string(text: str) -> bytes:
    return b"<FEFF" + text.encode("utf-16-be").hex().upper().encode() + b">"


class PackedFile:
    """A PDF being written: objects without a stream are compressed, many at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._entries = bytearray(ENTRY.size)
        self._pack: list[tuple[int, bytes]] = []
        self._at = 0
        self._write(b"%PDF-1.7\n%\x80\x80\x80\x80\n")

    @property
    def count(self) -> int:
        return len(self._entries) // ENTRY.size

    def reserve(self, how_many: int = 1) -> int:
        """Reserve `how_many` numbers; return the first."""
        first = self.count
        self._entries += bytes(ENTRY.size * how_many)
        return first

    def put(self, number: int, body: bytes) -> None:
        if body.endswith(b"endstream"):
            self._put_alone(number, body)
            return
        self._pack.append((number, body))
        if len(self._pack) == PACKED:
            self._put_pack()

    def finish(self, trailer: bytes) -> None:
        """Write the list of the objects, and the trailer."""
        self._put_pack()
        number = self.reserve()
        start = self._at
        self._enter(number, ALONE, start, 0)
        head = b"/Type/XRef/Size %d/W[%s]%s" % (self.count, WIDTHS, trailer)
        self._write(_stream(number, head, bytes(self._entries)))
        self._write(b"startxref\n%d\n%%%%EOF\n" % start)

    def _put_alone(self, number: int, body: bytes) -> None:
        self._enter(number, ALONE, self._at, 0)
        self._write(b"%d 0 obj\n%s\nendobj\n" % (number, body))

    def _put_pack(self) -> None:
        if not self._pack:
            return
        pack = self.reserve()
        at, places, bodies = 0, [], []
        for index, (number, body) in enumerate(self._pack):
            self._enter(number, IN_A_PACK, pack, index)
            places.append(b"%d %d" % (number, at))
            bodies.append(body)
            at += len(body) + 1
        head = b" ".join(places) + b"\n"
        about = b"/Type/ObjStm/N %d/First %d" % (len(self._pack), len(head))
        self._enter(pack, ALONE, self._at, 0)
        self._write(_stream(pack, about, head + b"\n".join(bodies)))
        self._pack.clear()

    def _enter(self, number: int, kind: int, place: int, index: int) -> None:
        ENTRY.pack_into(self._entries, number * ENTRY.size, kind, place, index)

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._at += len(data)


def _stream(number: int, head: bytes, data: bytes) -> bytes:
    packed = zlib.compress(data)
    about = b"<<%s/Filter/FlateDecode/Length %d>>" % (head, len(packed))
    return b"%d 0 obj\n%s\nstream\n%s\nendstream\nendobj\n" % (number, about, packed)
