"""A photographed sheet made straight, by its codes and its black squares."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from tournaments.photos.layout import SQUARE, Box, Layout

Floats = NDArray[Any]

PIXELS = 4
"""Pixels for each millimetre of the straightened page."""

MOST_BYTES, MOST_PIXELS = 15_000_000, 50_000_000
ENOUGH_PIXELS = 12_000_000
"""A larger JPEG is decoded at half its size or less, which saves time and memory."""

LEAST_CODES = 3
MOST_ERROR = 0.33
"""Millimetres between the squares and where they should be; a page off by a row had 0.39."""

LEAST_SQUARES = 0.6
"""The share of squares that must be found."""

REACH = (3.0, 1.5)
"""How far from its place a square is looked for, in millimetres: at first, then again."""

WHITE_BLOCK = 32


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
    homography = _homography(points, seen)
    # Seen from farther away, so that no pixel is left out.
    fine = int(np.sqrt(abs(np.linalg.det(homography[:2, :2]))) / PIXELS)
    if fine > 1:
        picture = picture.reduce(fine)
        homography = np.diag([1 / fine, 1 / fine, 1]) @ homography
    back = homography @ np.diag([1 / PIXELS, 1 / PIXELS, 1])
    back = (back / back[2, 2]).ravel()[:8]
    size = (round(PIXELS * layout.page[0]), round(PIXELS * layout.page[1]))
    page = picture.transform(
        size, Image.Transform.PERSPECTIVE, back.tolist(), Image.Resampling.BILINEAR, fillcolor=255
    )
    ink = _ink(np.asarray(page, dtype=np.float32))
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
            return picture.convert("L")
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
    for smaller in (1, 2):
        for code in zxingcpp.read_barcodes(picture.reduce(smaller), kinds):
            if code.text not in found and code.text.startswith("K"):
                at = code.position
                corners = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
                found[code.text] = smaller * np.array([[point.x, point.y] for point in corners])
        if len(found) >= LEAST_CODES + 1:
            break
    ours = [
        (layout, known, [(n, layout.code(n, known)) for n in range(4)])
        for layout in layouts.values()
        for known in dict.fromkeys((address, ""))
    ]
    layout, known, codes = max(ours, key=lambda one: sum(text in found for _, text in one[2]))
    there = [(n, found[text]) for n, text in codes if text in found]
    if not there and found:
        raise UnreadablePhoto("another-sheet")
    if len(there) < LEAST_CODES:
        raise UnreadablePhoto("too-few-codes")
    points = [
        (x + right * width, y + down * height)
        for x, y, width, height in (layout.codes[n] for n, _ in there)
        for right, down in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    return layout, known, np.array(points), np.concatenate([corners for _, corners in there])


def _homography(points: Floats, seen: Floats) -> Floats:
    """Return the matrix that takes points to where they are seen, by least squares."""

    def normal(some: Floats) -> Floats:
        scale = np.sqrt(2) / some.std()
        middle = some.mean(axis=0)
        return np.array([[scale, 0, -scale * middle[0]], [0, scale, -scale * middle[1]], [0, 0, 1]])

    one, other = normal(points), normal(seen)
    rows = []
    for (x, y), (u, v) in zip(_apply(one, points), _apply(other, seen), strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    matrix = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)
    matrix = np.linalg.inv(other) @ matrix @ one
    return np.asarray(matrix / matrix[2, 2])


def _apply(matrix: Floats, points: Floats) -> Floats:
    far = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(far[:, :2] / far[:, 2:])


def _ink(grey: Floats) -> Floats:
    """Return how dark a page is compared to the paper around."""
    height, width = grey.shape
    padded = np.pad(grey, ((0, -height % WHITE_BLOCK), (0, -width % WHITE_BLOCK)), mode="edge")
    rows, columns = (length // WHITE_BLOCK for length in padded.shape)
    blocks = padded.reshape(rows, WHITE_BLOCK, columns, WHITE_BLOCK).swapaxes(1, 2)
    white = np.percentile(blocks.reshape(rows, columns, -1), 85, axis=2)
    near = np.pad(white, 1, mode="edge")
    white = np.max(
        [near[y : y + rows, x : x + columns] for y in range(3) for x in range(3)], axis=0
    )
    smooth = Image.fromarray(white.astype(np.float32)).resize(
        padded.shape[::-1], Image.Resampling.BILINEAR
    )
    paper = np.maximum(np.asarray(smooth)[:height, :width], 1)
    return np.asarray(np.clip(1 - grey / paper, 0, 1))


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
    half, around = SQUARE * PIXELS / 2, SQUARE * PIXELS / 2 + 3
    steps = np.arange(-round(reach * PIXELS), round(reach * PIXELS) + 1)
    sums = np.pad(ink.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    at = PIXELS * places
    x, y = at[:, 0, None, None] + steps[None, None, :], at[:, 1, None, None] + steps[None, :, None]

    def total(side: float) -> tuple[Floats, Floats]:
        height, width = ink.shape
        left, right = (np.clip(np.rint(x + far), 0, width).astype(int) for far in (-side, side))
        top, down = (np.clip(np.rint(y + far), 0, height).astype(int) for far in (-side, side))
        inside = sums[down, right] - sums[top, right] - sums[down, left] + sums[top, left]
        return inside, np.maximum((right - left) * (down - top), 1)

    inner, area = total(half)
    outer, whole = total(around)
    score = inner / area - 2 * (outer - inner) / np.maximum(whole - area, 1)
    flat = score.reshape(len(places), -1)
    best = flat.argmax(axis=1)
    row, column = np.unravel_index(best, score.shape[1:])
    found = at + np.column_stack([steps[column], steps[row]])
    # The middle of its ink is finer than a pixel.
    grid = np.arange(-6, 7)
    across, up = (
        found[:, 0, None, None] + grid[None, None, :],
        found[:, 1, None, None] + grid[:, None],
    )
    dark = np.clip(bilinear(ink, across - 0.5, up - 0.5) - 0.35, 0, None)
    mass = np.maximum(dark.sum(axis=(1, 2)), 1e-6)
    found += np.column_stack(
        [
            (dark * grid[None, :]).sum(axis=(1, 2)) / mass,
            (dark * grid[:, None]).sum(axis=(1, 2)) / mass,
        ]
    )
    clear = flat.max(axis=1) > max(0.25, 0.5 * float(np.median(flat.max(axis=1))))
    return found / PIXELS, clear
