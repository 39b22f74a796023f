"""Objects and parts of PDF files, and how they are bound."""

import hashlib
import re
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
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

    Raises: UnknownPdf: they are not listed as typst lists them.
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

    Raises: UnknownPdf: there is no such reference.
    """
    found = re.search(re.escape(name) + rb" (\d+) 0 R", body)
    if found is None:
        raise UnknownPdf(f"no {name.decode()}")
    return int(found[1])


def references(body: bytes, name: bytes) -> list[int]:
    """Return the object numbers in an object's list of this name; empty without one."""
    found = re.search(re.escape(name) + rb"\[([^\]]*)\]", body)
    return [int(number) for number in re.findall(rb"(\d+) 0 R", found[1])] if found else []


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
            self._enter(number, ALONE, self._at, 0)
            self._write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
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


HEIGHT = re.compile(rb"/MediaBox\[\S+ \S+ \S+ ([\d.]+)\]")


@dataclass(frozen=True, slots=True)
class PdfPart:
    """A parsed document; `objects` are all those that no other field refers to.

    All numbers are below `size`. `pages` are the pages in order with their heights, `kids` the
    direct children of their `root`; `tags` the direct children of the `document` of the `tree`.
    `parents` are found by the keys of pages and links, which are below `keys`; `ids` are the cells
    that others refer to as their headers.
    """

    objects: Objects
    size: int
    language: bytes
    info: bytes
    metadata: bytes
    identity: bytes
    root: int
    kids: list[int]
    pages: list[tuple[int, bytes]]
    tree: int
    document: int
    tags: list[int]
    keys: int
    parents: list[tuple[int, int]]
    ids: list[tuple[bytes, int]]
    roles: dict[bytes, bytes]


def read_part(document: bytes) -> PdfPart:
    """Parse a document.

    Raises: UnknownPdf: its structure is not that of typst.
    """
    objects, trailer = read_objects(document)
    top, about = reference(trailer, b"/Root"), reference(trailer, b"/Info")
    catalog = objects[top]
    root, tree = reference(catalog, b"/Pages"), reference(catalog, b"/StructTreeRoot")
    metadata = reference(catalog, b"/Metadata")
    tags = objects[tree]
    (whole,) = references(tags, b"/K")
    apart = {top, about, root, tree, metadata, whole}
    outline = re.findall(rb"/Outlines (\d+) 0 R", catalog)
    while outline:
        line = int(outline.pop())
        apart.add(line)
        outline += re.findall(rb"/(?:First|Next) (\d+) 0 R", objects[line])
    return PdfPart(
        objects={number: body for number, body in objects.items() if number not in apart},
        size=max(objects) + 1,
        language=_found(rb"/Lang(\([^)]*\))", catalog),
        info=objects[about],
        metadata=objects[metadata],
        identity=_found(rb"/ID\[(.*?)\]", trailer),
        root=root,
        kids=references(objects[root], b"/Kids"),
        pages=[(page, _found(HEIGHT, objects[page])) for page in _leaves(objects, root)],
        tree=tree,
        document=whole,
        tags=references(objects[whole], b"/K"),
        keys=int(_found(rb"/ParentTreeNextKey (\d+)", tags)),
        parents=[(int(key), value) for key, value in _pairs(tags, b"/ParentTree<</Nums")],
        ids=[(key[1:-1], value) for key, value in _pairs(tags, b"/IDTree<</Names")],
        roles=dict(re.findall(rb"/(\w+)/(\w+)", _found(rb"/RoleMap<<(.*?)>>", tags))),
    )


def _leaves(objects: Objects, number: int) -> list[int]:
    if b"/Type/Pages" not in objects[number]:
        return [number]
    return [page for kid in references(objects[number], b"/Kids") for page in _leaves(objects, kid)]


def _pairs(body: bytes, name: bytes) -> list[tuple[bytes, int]]:
    """Return the entries of a tree without branches, by key; empty if there is no such tree.

    Raises: UnknownPdf: it has branches, or contains other values than references.
    """
    if name.partition(b"<<")[0] not in body:
        return []
    inside = _found(re.escape(name) + rb"\[([^\]]*)\]", body)
    pairs = re.findall(rb"(\S+?|\(\w+\))\s*(\d+) 0 R", inside)
    return [(key, int(value)) for key, value in pairs]


def _found(pattern: bytes | re.Pattern[bytes], body: bytes) -> bytes:
    match = re.search(pattern, body)
    if match is None:
        raise UnknownPdf(f"no {pattern!r}")
    found: bytes = match[1]
    return found


HEADER_ID = re.compile(rb"\((U\d+x\d+y\d+)\)")
PARENT_KEY = re.compile(rb"/StructParent(s?) (\d+)")
LINK_TO_PAGE = re.compile(rb"/S/URI/URI\(page:(\d+)\)")
SAID_OF_LINK = re.compile(rb"/Contents\(page:(\d+)\)")
CONFORMS = b"<pdfuaid:part>"


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A line of the outline, linking to a page of the whole, from 1; inner lines are deeper."""

    title: str
    page: int
    level: int = 1


class Binder:
    """Binds documents into a file, one after the other, without keeping them in memory.

    All are in one language; the title is that of the first. A link to `page:7` leads to the seventh
    page of the whole, so a template can link to pages bound later.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._out = PackedFile(file)
        first = self._out.reserve(4)
        self._catalog, self._root, self._tree, self._document = range(first, first + 4)
        # Pages with their heights, the page roots, and the top-level tags.
        self._pages: list[tuple[int, bytes]] = []
        self._roots: list[int] = []
        self._tags: list[int] = []
        # The leaves of two tag trees: by the keys of pages and links, and by names.
        self._parents: list[int] = []
        self._ids: list[int] = []
        self._next_key = 0
        self._roles: dict[bytes, bytes] = {}
        # The language and the information of the first document.
        self._first: tuple[bytes, bytes] | None = None
        self._metadata = b""
        self._digest = hashlib.sha256()

    @property
    def pages(self) -> int:
        return len(self._pages)

    def add(self, document: bytes) -> None:
        """Append the pages of a document.

        Raises: UnknownPdf: typst did not write it, or not in the known structure.
        """
        part = read_part(document)
        base = self._out.reserve(part.size)
        shared = {part.tree: self._tree, part.document: self._document}

        def number(old: int) -> int:
            return shared.get(old, base + old)

        named = b"%05d" % len(self._roots)
        numbers = [b"%d 0 R" % number(old) for old in range(part.size)]
        for old, body in part.objects.items():
            self._out.put(base + old, self._placed(renumbered(body, numbers), named))
        self._out.put(
            base + part.root,
            b"<</Type/Pages/Parent %d 0 R/Count %d%s>>"
            % (self._root, len(part.pages), _list(b"/Kids", map(number, part.kids))),
        )
        self._pages += [(number(page), height) for page, height in part.pages]
        self._roots.append(number(part.root))
        self._tags += map(number, part.tags)
        self._roles |= part.roles
        keys = [b"%d" % (key + self._next_key) for key, _value in part.parents]
        self._parents += self._leaf(b"/Nums", keys, [number(value) for _key, value in part.parents])
        names = [b"(%s%s)" % (named, name) for name, _value in part.ids]
        self._ids += self._leaf(b"/Names", names, [number(value) for _name, value in part.ids])
        self._next_key += part.keys
        self._digest.update(part.identity)
        self._first = self._first or (part.language, part.info)
        # One page that does not conform makes the whole not conform.
        if not self._metadata or CONFORMS not in part.metadata:
            self._metadata = part.metadata

    def finish(self, bookmarks: Sequence[Bookmark] = ()) -> None:
        """Write the objects that hold the whole together."""
        out = self._out
        if self._first is None:
            raise ValueError("nothing was bound")
        language, about = self._first
        roots = _list(b"/Kids", self._roots)
        out.put(self._root, b"<</Type/Pages/Count %d%s>>" % (self.pages, roots))
        self._put_tags()
        metadata, info = out.reserve(2), out.count - 1
        identity = b64encode(self._digest.digest()[:16])
        out.put(metadata, self._described(identity))
        out.put(info, about)
        outline = self._put_outline(bookmarks)
        destinations = b"".join(
            b"(%05d)[%d 0 R/XYZ 0 %s null]" % (index, page, height)
            for index, (page, height) in enumerate(self._pages, 1)
        )
        out.put(
            self._catalog,
            b"<</Type/Catalog/Pages %d 0 R/Metadata %d 0 R/Lang%s/StructTreeRoot %d 0 R"
            b"/MarkInfo<</Marked true/Suspects false>>"
            b"/ViewerPreferences<</DisplayDocTitle true/Direction/L2R>>"
            b"/Names<</Dests<</Names[%s]>>>>%s>>"
            % (self._root, metadata, language, self._tree, destinations, outline),
        )
        both = b"(%s)(%s)" % (identity, identity)
        out.finish(b"/Root %d 0 R/Info %d 0 R/ID[%s]" % (self._catalog, info, both))

    def _placed(self, body: bytes, named: bytes) -> bytes:
        if b"/StructParent" in body:
            body = PARENT_KEY.sub(
                lambda key: b"/StructParent%s %d" % (key[1], int(key[2]) + self._next_key), body
            )
            body = LINK_TO_PAGE.sub(lambda to: b"/S/GoTo/D(%05d)" % int(to[1]), body)
            body = SAID_OF_LINK.sub(rb"/Contents(\1)", body)
        if b"(U" not in body or b"/O/Table" not in body:
            return body
        return HEADER_ID.sub(lambda name: b"(%s%s)" % (named, name[1]), body)

    def _leaf(self, kind: bytes, keys: Sequence[bytes], values: Sequence[int]) -> list[int]:
        if not keys:
            return []
        number = self._out.reserve()
        pairs = b" ".join(b"%s %d 0 R" % pair for pair in zip(keys, values, strict=True))
        limits = b"%s %s" % (keys[0], keys[-1])
        self._out.put(number, b"<</Limits[%s]%s[%s]>>" % (limits, kind, pairs))
        return [number]

    def _put_tags(self) -> None:
        self._out.put(
            self._document,
            b"<</Type/StructElem/S/Document/P %d 0 R%s>>" % (self._tree, _list(b"/K", self._tags)),
        )
        roles = b"".join(b"/%s/%s" % pair for pair in sorted(self._roles.items()))
        ids = b"/IDTree<<%s>>" % _list(b"/Kids", self._ids) if self._ids else b""
        self._out.put(
            self._tree,
            b"<</Type/StructTreeRoot/RoleMap<<%s>>/K[%d 0 R]/ParentTree<<%s>>"
            b"/ParentTreeNextKey %d%s>>"
            % (roles, self._document, _list(b"/Kids", self._parents), self._next_key, ids),
        )

    def _put_outline(self, bookmarks: Sequence[Bookmark]) -> bytes:
        if not bookmarks:
            return b""
        top = self._out.reserve(len(bookmarks) + 1)
        # The parent and the children of each line; the first line is the outline itself.
        levels = [0, *(bookmark.level for bookmark in bookmarks)]
        above: list[int] = [0] * len(levels)
        inner: list[list[int]] = [[] for _level in levels]
        path: list[int] = []
        for index, level in enumerate(levels):
            while path and levels[path[-1]] >= level:
                path.pop()
            if path:
                above[index] = path[-1]
                inner[path[-1]].append(index)
            path.append(index)
        for index, bookmark in enumerate([None, *bookmarks]):
            body = self._family(top, index, above, inner)
            if bookmark is not None:
                page, height = self._pages[bookmark.page - 1]
                title = bookmark.title.encode("utf-16-be").hex().upper().encode()
                body += b"/Title<FEFF%s>/Dest[%d 0 R/XYZ 0 %s null]" % (title, page, height)
            self._out.put(top + index, b"<<%s>>" % body)
        return b"/Outlines %d 0 R/PageMode/UseOutlines" % top

    def _family(
        self, top: int, index: int, above: Sequence[int], inner: Sequence[Sequence[int]]
    ) -> bytes:
        """Return the links of an outline line to parent, siblings and children; the top is open."""
        body = b"/Type/Outlines" if index == 0 else b"/Parent %d 0 R" % (top + above[index])
        beside = inner[above[index]] if index else [0]
        place = beside.index(index)
        if place > 0:
            body += b"/Prev %d 0 R" % (top + beside[place - 1])
        if place + 1 < len(beside):
            body += b"/Next %d 0 R" % (top + beside[place + 1])
        below = inner[index]
        if below:
            count = len(below) if index == 0 else -len(below)
            body += b"/First %d 0 R/Last %d 0 R/Count %d" % (top + below[0], top + below[-1], count)
        return body

    def _described(self, identity: bytes) -> bytes:
        head, _stream, data = self._metadata.partition(b">>\nstream\n")
        text = data.removesuffix(b"\nendstream")
        text = re.sub(rb"(?<=<xmpTPg:NPages>)\d+", b"%d" % self.pages, text)
        text = re.sub(rb"(?<=ID>)[^<]*(?=</xmpMM:)", identity, text)
        head = re.sub(rb"/Length \d+", b"/Length %d" % len(text), head)
        return head + b">>\nstream\n" + text + b"\nendstream"


def _list(name: bytes, numbers: "Sequence[int] | map[int]") -> bytes:
    return name + b"[" + b" ".join(b"%d 0 R" % number for number in numbers) + b"]"
