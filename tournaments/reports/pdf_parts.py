"""The parts of a PDF made by typst: its pages and tags, without the objects around them."""

import re
from dataclasses import dataclass

from tournaments.reports.pdf_objects import (
    Objects,
    UnknownPdf,
    read_objects,
    reference,
    references,
)

HEIGHT = re.compile(rb"/MediaBox\[\S+ \S+ \S+ ([\d.]+)\]")


@dataclass(frozen=True, slots=True)
class Head:
    """The metadata of a document."""

    language: bytes
    info: bytes


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
    head: Head
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

    Raises:
        UnknownPdf: its structure is not that of typst.
    """
    objects, trailer = read_objects(document)
    top, about = reference(trailer, b"/Root"), reference(trailer, b"/Info")
    catalog = objects[top]
    root, tree = reference(catalog, b"/Pages"), reference(catalog, b"/StructTreeRoot")
    metadata = reference(catalog, b"/Metadata")
    tags = objects[tree]
    (whole,) = references(tags, b"/K")
    apart = {top, about, root, tree, metadata, whole, *_outline(objects, catalog)}
    return PdfPart(
        objects={number: body for number, body in objects.items() if number not in apart},
        size=max(objects) + 1,
        head=Head(_found(rb"/Lang(\([^)]*\))", catalog), objects[about]),
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


def _outline(objects: Objects, catalog: bytes) -> list[int]:
    """Return the objects of the outline, which the whole replaces by its own."""
    found, left = [], re.findall(rb"/Outlines (\d+) 0 R", catalog)
    while left:
        number = int(left.pop())
        found.append(number)
        left += re.findall(rb"/(?:First|Next) (\d+) 0 R", objects[number])
    return found


def _leaves(objects: Objects, number: int) -> list[int]:
    """Return the pages below a node of the page tree."""
    if b"/Type/Pages" not in objects[number]:
        return [number]
    return [page for kid in references(objects[number], b"/Kids") for page in _leaves(objects, kid)]


def _pairs(body: bytes, name: bytes) -> list[tuple[bytes, int]]:
    """Return the entries of a tree without branches, by key; empty if there is no such tree.

    Raises:
        UnknownPdf: it has branches, or contains other values than references.
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
