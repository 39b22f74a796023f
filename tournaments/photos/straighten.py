"""A photographed sheet made straight, by its codes and its black squares."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter, UnidentifiedImageError

from tournaments.photos.layout import Box, Layout

Floats = NDArray[Any]

PIXELS = 4
"""Pixels for each millimetre of the straightened page."""

MOST_BYTES, MOST_PIXELS = 15_000_000, 50_000_000
MOST_DECODED = 25_000_000
"""The most pixels that are decoded: of a JPEG every second one is enough, a PNG has no such way."""

ENOUGH_PIXELS = 12_000_000
"""Of a larger picture half the width and height are read, which saves time and memory."""

MANY_PIXELS = 6_000_000
"""Codes are looked for again in half the width and height of a larger picture."""

LEAST_CODES = 3
MOST_ERROR = 0.33
"""Millimetres between the squares and where they should be; a page off by a row had 0.39."""

LEAST_SQUARES = 0.6
"""The share of squares that must be found."""

REACH = (3.0, 1.5)
"""How far from its place a square is looked for, in millimetres: at first, then again."""


class UnreadablePhoto(Exception):
    """No photograph can be read; `reason` is the code of a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Page:
    """A straightened page: its picture, its ink from 0 to 1, and how far it is bent where.

    `error` is what remains between the squares and their places, in millimetres.
    """

    layout: Layout
    address: str
    picture: Image.Image
    ink: Floats
    bend: Floats
    error: float

    def place(self, points: Floats) -> Floats:
        """Return where points of the layout are in the picture, in pixels."""
        return np.asarray(PIXELS * (points + _terms(points, self.layout) @ self.bend))

    def rectangle(self, box: Box) -> list[int]:
        left, top, width, height = box
        x, y = self.place(np.array([[left, top]]))[0]
        return [round(float(length)) for length in (x, y, PIXELS * width, PIXELS * height)]

    def cut(self, boxes: Sequence[Box], length: float, size: int) -> Floats:
        """Return squares of ink around the middles of boxes, `length` mm and `size` pixels wide."""
        middles = np.array([[x + width / 2, y + height / 2] for x, y, width, height in boxes])
        steps = (np.arange(size) + 0.5) / size * length * PIXELS - length * PIXELS / 2
        at = self.place(middles) - 0.5
        return bilinear(
            self.ink,
            at[:, 0, None, None] + steps[None, None, :],
            at[:, 1, None, None] + steps[None, :, None],
        )


def bilinear(image: Floats, x: Floats, y: Floats) -> Floats:
    """Return an image between its pixels; beyond its edges it is as there."""
    height, width = image.shape
    x, y = np.clip(x, 0, width - 1.001), np.clip(y, 0, height - 1.001)
    left, top = x.astype(int), y.astype(int)
    right, down = x - left, y - top
    above = image[top, left] * (1 - right) + image[top, left + 1] * right
    below = image[top + 1, left] * (1 - right) + image[top + 1, left + 1] * right
    return np.asarray(above * (1 - down) + below * down)


def straighten(photo: bytes, layouts: Mapping[str, Layout], address: str) -> Page:
    """Return the page of a photograph of a sheet, for any game or for that of the address.

    Raises: UnreadablePhoto: it has to be photographed again.
    """
    picture = _open(photo)
    layout, address, points, seen = _find_codes(picture, layouts, address)
    seen_from = _homography(PIXELS * points, seen)
    # Seen from farther away, so that no pixel is left out.
    fine = int(np.sqrt(abs(seen_from[0] * seen_from[4] - seen_from[1] * seen_from[3])))
    if fine > 1:
        picture, seen_from = picture.reduce(fine), _homography(PIXELS * points, seen / fine)
    width, height = layout.page
    page = picture.transform(
        (round(PIXELS * width), round(PIXELS * height)),
        Image.Transform.PERSPECTIVE,
        seen_from,
        Image.Resampling.BILINEAR,
    )
    ink = _ink(page)
    bend, error, share = _bend(ink, layout)
    if error > MOST_ERROR or share < LEAST_SQUARES:
        raise UnreadablePhoto("not-straight")
    return Page(layout, address, page, ink, bend, error)


def _open(photo: bytes) -> Image.Image:
    if len(photo) > MOST_BYTES:
        raise UnreadablePhoto("too-large")
    try:
        with Image.open(io.BytesIO(photo), formats=("JPEG", "PNG", "WEBP")) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise UnreadablePhoto("too-large")
            if width * height > ENOUGH_PIXELS:
                picture.draft("L", (width // 2, height // 2))
            decoded = picture.width * picture.height
            if decoded > MOST_DECODED:
                raise UnreadablePhoto("too-large")
            grey = picture.convert("L")
            # A drafted picture has a quarter of the pixels, rounded up.
            return grey.reduce(2) if decoded == width * height > ENOUGH_PIXELS else grey
    except Image.DecompressionBombError as error:
        raise UnreadablePhoto("too-large") from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise UnreadablePhoto("not-a-picture") from error


def _find_codes(
    picture: Image.Image, layouts: Mapping[str, Layout], address: str
) -> tuple[Layout, str, Floats, Floats]:
    """Return the layout of a sheet, its address, and the corners of its codes there and here."""
    # Loaded by workers that read photographs only.
    import zxingcpp

    kinds = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    found: dict[str, Any] = {}
    # In a second look there are neither shadows nor soft edges.
    half = 2 if picture.width * picture.height > MANY_PIXELS else 1
    for scale, look in ((1, Image.Image.copy), (half, _without_shadows)):
        for code in zxingcpp.read_barcodes(look(picture.reduce(scale)), kinds):
            at = code.position
            corners = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
            places = scale * np.array([[point.x, point.y] for point in corners]) + (scale - 1) / 2
            found.setdefault(code.text, places)
        if sum(text.startswith("K") for text in found) >= 4:
            break
    ours = [
        (layout, known, [(n, layout.code(n, known)) for n in range(4)])
        for layout in layouts.values()
        for known in dict.fromkeys((address, ""))
    ]
    layout, known, codes = max(ours, key=lambda one: sum(text in found for _, text in one[2]))
    there = [(n, found[text]) for n, text in codes if text in found]
    if not there and any(text.startswith("K") for text in found):
        raise UnreadablePhoto("another-sheet")
    if len(there) < LEAST_CODES:
        raise UnreadablePhoto("too-few-codes")
    points = [
        (x + right * width, y + down * height)
        for x, y, width, height in (layout.codes[n] for n, _ in there)
        for right, down in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    return layout, known, np.array(points), np.concatenate([corners for _, corners in there])


def _homography(points: Floats, seen: Floats) -> list[float]:
    """Return the numbers of the homography from points to where they are seen."""
    (x, y), (u, v) = points.T, seen.T
    one, none = np.ones_like(x), np.zeros_like(x)
    across = np.column_stack([x, y, one, none, none, none, -u * x, -u * y])
    down = np.column_stack([none, none, none, x, y, one, -v * x, -v * y])
    solved = np.linalg.lstsq(np.vstack([across, down]), np.concatenate([u, v]), rcond=None)[0]
    return [float(number) for number in solved]


def _without_shadows(picture: Image.Image) -> Image.Image:
    flat = Image.fromarray(np.uint8(255 * (1 - _ink(picture))))
    return flat.filter(ImageFilter.UnsharpMask(3, 200, 0))


def _ink(page: Image.Image) -> Floats:
    """Return how dark a page is compared to the brightest paper around."""
    coarse = page.reduce(2 * PIXELS).filter(ImageFilter.MaxFilter(9))
    paper = coarse.filter(ImageFilter.GaussianBlur(4)).resize(page.size, Image.Resampling.BILINEAR)
    grey, white = (np.asarray(each, dtype=np.float32) for each in (page, paper))
    return np.asarray(np.clip(1 - grey / np.maximum(white, 1), 0, 1))


TERMS = [(n, m) for n in range(3) for m in range(6 - n)]
"""The powers of across and down in the polynomial of a bend: the squares stand in three columns."""

STIFF = np.diag([0.01 * (n + m) ** 2 for n, m in TERMS])
"""How much each term of the polynomial is held back, by its order."""


def _terms(points: Floats, layout: Layout) -> Floats:
    x, y = (2 * points / np.array(layout.page) - 1).T
    return np.column_stack([x**n * y**m for n, m in TERMS])


def _bend(ink: Floats, layout: Layout) -> tuple[Floats, float, float]:
    """Return the polynomial of how far points are moved, its error, and the share of squares."""
    squares = np.array(layout.squares)
    terms, bend = _terms(squares, layout), np.zeros((len(TERMS), 2))
    used = np.zeros(len(squares), dtype=bool)
    far = np.zeros(len(squares))
    for reach in REACH:
        found, clear = _find_squares(ink, squares + terms @ bend, reach)
        moved, used = found - squares, clear
        for _round in range(5):
            if used.sum() < len(squares) / 4:
                return bend, MOST_ERROR + 1, 0
            some = terms[used]
            bend = np.linalg.solve(some.T @ some + STIFF, some.T @ moved[used])
            far = np.hypot(*(moved - terms @ bend).T)
            used = clear & (far < 3 * np.median(far[used]) + 0.1)
    return bend, float(np.sqrt(np.mean(far[used] ** 2))), float(used.mean())


def _find_squares(ink: Floats, places: Floats, reach: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the middle of the square nearest to each place, and whether there is one."""
    picture = Image.fromarray(np.uint8(255 * ink))
    # A square of 9 pixels, and the paper around it.
    inner, outer = (
        np.asarray(picture.filter(ImageFilter.BoxBlur(far)), dtype=np.float32) / 255
        for far in (4, 7)
    )
    around = (outer * 15**2 - inner * 9**2) / (15**2 - 9**2)
    steps = np.arange(-round(reach * PIXELS), round(reach * PIXELS) + 1)
    at = np.rint(PIXELS * places - 0.5)
    x, y = (
        np.clip(at[:, n, None, None] + step, 0, ink.shape[1 - n] - 1).astype(int)
        for n, step in enumerate((steps[None, None, :], steps[None, :, None]))
    )
    flat = (inner - 2 * around)[y, x].reshape(len(places), -1)
    row, column = np.divmod(flat.argmax(axis=1), len(steps))
    found = at + np.column_stack([steps[column], steps[row]])
    # The middle of its ink is finer than a pixel.
    grid = np.arange(-6, 7)
    across, down = found[:, 0, None, None] + grid[None, :], found[:, 1, None, None] + grid[:, None]
    dark = np.clip(bilinear(ink, across, down) - 0.35, 0, None)
    mass = np.maximum(dark.sum(axis=(1, 2)), 1e-6)
    found += np.column_stack([dark.sum(axis=axis) @ grid / mass for axis in (1, 2)]) + 0.5
    best = flat.max(axis=1)
    return found / PIXELS, best > max(0.25, float(np.median(best)) / 2)
