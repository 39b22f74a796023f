"""Sheets that simulated people have written and photographed, each from its number.

The handwriting is that of writers whom the network has not seen: `photo_digits.npz`.
"""

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import translation
from PIL import Image, ImageDraw, ImageFilter

from tournaments.engine.play.games import Game, check
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.rulesets import Contract, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.photos.layout import Box, Layout, layout_of

DIGITS = Path(__file__).with_name("photo_digits.npz")
SCALE = 8
"""Pixels for each millimetre of the sheet as it is printed."""

Point = tuple[float, float]
ZERO_STYLES = ((), ("0",), ("-",))

# A one with a long upstroke, a crossed seven, and a stroke for nothing; from 0 to 1, downwards.
ONE: Sequence[Sequence[Point]] = (((0.1, 0.55), (0.62, 0.0), (0.6, 1.0)),)
SEVEN: Sequence[Sequence[Point]] = (
    ((0.05, 0.05), (0.9, 0.0), (0.45, 1.0)),
    ((0.25, 0.52), (0.85, 0.46)),
)


@dataclass
class Written:
    """What a sheet says: for each row contract, trump and numbers; the totals; who erred."""

    rows: list[tuple[str, str, tuple[int, ...]]]
    totals: list[int]
    wrong_rows: set[int] = field(default_factory=set)
    blackened: dict[int, tuple[str, str]] = field(default_factory=dict)


@dataclass
class Writer:
    """How somebody writes."""

    rng: np.random.Generator
    slant: float
    size: float
    width: float
    pressure: float
    zero: tuple[str, ...]
    is_european: bool
    tick: str
    faint: float
    crossed: float
    samples: list[Any]


GLYPH = 40
"""Pixels of a side of the picture of a digit."""


def glyph_of_grid(grid: Any) -> Any:
    """Return the picture of a digit of which 8 × 8 numbers up to 16 are known."""
    small = Image.fromarray(np.pad(np.float32(grid).reshape(8, 8) / 16, 1))
    smooth = np.asarray(small.resize((GLYPH, GLYPH), Image.Resampling.BICUBIC))
    return np.uint8(255 * np.clip((smooth - 0.42) * 3.5 + 0.5, 0, 1))


def smooth(path: Any) -> Any:
    """Return many points of a smooth line through some."""
    ends = np.vstack([2 * path[0] - path[1], path, 2 * path[-1] - path[-2]])
    t = np.linspace(0, 1, 6, endpoint=False)[:, None]
    parts = [
        b
        + (c - a) / 2 * t
        + (a - 2.5 * b + 2 * c - d / 2) * t**2
        + (1.5 * (b - c) + (d - a) / 2) * t**3
        for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False)
    ]
    return np.vstack([*parts, path[-1:]])


def glyph_of_strokes(points: Any, width: float = 3.2) -> Any:
    """Return the picture of a digit of which eight points of one stroke are known."""
    line = smooth(np.float64(points).reshape(8, 2))
    scale = 2 * (GLYPH - 12) / 100
    drawn = Image.new("L", (2 * GLYPH, 2 * GLYPH))
    draw = ImageDraw.Draw(drawn)
    at = [(12 + scale * x, 2 * GLYPH - 12 - scale * y) for x, y in line]
    draw.line(at, fill=255, width=round(2 * width), joint="curve")
    for x, y in at:
        draw.ellipse([x - width, y - width, x + width, y + width], fill=255)
    return np.asarray(drawn.resize((GLYPH, GLYPH), Image.Resampling.BILINEAR))


@cache
def held_out() -> list[Any]:
    """Return pictures of digits by their value, of writers whom the network has not seen."""
    with np.load(DIGITS) as stored:
        grids, of_grids = stored["grids"], stored["digits_of_grids"]
        strokes, of_strokes = stored["strokes"], stored["digits_of_strokes"]
    return [
        np.array(
            [glyph_of_grid(grid) for grid in grids[of_grids == digit]]
            + [glyph_of_strokes(points) for points in strokes[of_strokes == digit]]
        )
        for digit in range(10)
    ]


@cache
def printed(ruleset: str, language: str, paper: str) -> Image.Image:
    """Return a sheet without anything written on it."""
    # Models need the settings.
    from tournaments.reports.sheets import compose_photo_sheets
    from tournaments.reports.typesetting import draw_json, printable

    with translation.override(language):
        part = compose_photo_sheets(RULESETS[ruleset], paper)
    title = {"language": language, "title": part["title"], "description": part["title"]}
    data = json.dumps(printable({**title, "paper": paper, "parts": [part]}))
    with Image.open(io.BytesIO(draw_json("photo_sheet.typ", data, 25.4 * SCALE))) as page:
        return page.convert("L")


def play(ruleset: Ruleset, rng: np.random.Generator) -> tuple[Game, list[tuple[Contract, str]]]:
    """Return a legal game of all deals, with the contracts and trumps that were named."""
    while True:
        game, named = Game(ruleset, 0), []
        for _deal in range(ruleset.length or 0):
            contract, deal = _legal_deal(game, rng)
            if contract is None:
                break
            game = game.after(deal)
            named.append((contract, str(deal.details.get("trump", ""))))
        else:
            return game, named


def _legal_deal(game: Game, rng: np.random.Generator) -> tuple[Contract | None, Deal]:
    rules = game.ruleset
    for _try in range(200):
        contract = rules.contracts[rng.integers(len(rules.contracts))]
        [unit] = contract.values
        total = rules.units[unit].total
        if total is None:
            # The first to be out has none left.
            counts = rng.integers(1, 8, rules.side_count)
            counts[rng.integers(rules.side_count)] = 0
        else:
            counts = rng.multinomial(total, rng.dirichlet(np.full(rules.side_count, 1.3)))
        trump = {"trump": str(rng.choice(contract.trumps))} if contract.trumps else {}
        if total and total > 2 and counts.max() == total:
            # It could be a King, which ends the game.
            continue
        deal = Deal(contract.id, counts={unit: tuple(map(int, counts))}, details=trump)
        if not any(check(game, deal)):
            return contract, deal
    return None, Deal("")


def new_writer(rng: np.random.Generator) -> Writer:
    digits = held_out()
    return Writer(
        rng=rng,
        slant=rng.normal(0.05, 0.12),
        size=rng.uniform(4.6, 6.6),
        width=rng.uniform(0.45, 0.95),
        pressure=rng.uniform(0.55, 0.95),
        zero=ZERO_STYLES[rng.choice(3, p=(0.6, 0.28, 0.12))],
        is_european=rng.random() < 0.4,
        tick=str(rng.choice(["cross", "check", "slash"], p=(0.7, 0.15, 0.15))),
        faint=rng.uniform(0, 0.05),
        crossed=rng.uniform(0, 0.04),
        samples=[each[rng.integers(len(each), size=6)] for each in digits],
    )


class Sheet:
    """A sheet on which somebody writes."""

    def __init__(self, page: Image.Image, writer: Writer) -> None:
        self.light = 1 - np.asarray(page, dtype=np.float32) / 255
        self.writer = writer

    def put(self, glyph: Image.Image, middle: Point, pressure: float) -> None:
        """Write a glyph around a place in millimetres."""
        x, y = (round(SCALE * each) for each in middle)
        left, top = x - glyph.width // 2, y - glyph.height // 2
        rows = slice(max(top, 0), min(top + glyph.height, self.light.shape[0]))
        columns = slice(max(left, 0), min(left + glyph.width, self.light.shape[1]))
        drawn = np.asarray(glyph, dtype=np.float32)[
            rows.start - top : rows.stop - top, columns.start - left : columns.stop - left
        ]
        part = self.light[rows, columns]
        self.light[rows, columns] = 1 - (1 - part) * (1 - drawn / 255 * pressure)

    def strokes(self, strokes: Sequence[Sequence[Point]], size: Point, middle: Point) -> None:
        """Draw lines through points from 0 to 1 in a box of so many millimetres."""
        writer = self.writer
        width, height = (max(SCALE * each, 2) for each in size)
        pen = max(writer.width * SCALE, 2)
        glyph = Image.new("L", (round(2 * (width + 4 * pen)), round(2 * (height + 4 * pen))))
        draw = ImageDraw.Draw(glyph)
        for points in strokes:
            shaken = [
                (
                    2
                    * (
                        2 * pen
                        + width * (x + writer.rng.normal(0, 0.03) - writer.slant * (y - 0.5))
                    ),
                    2 * (2 * pen + height * (y + writer.rng.normal(0, 0.03))),
                )
                for x, y in points
            ]
            draw.line(shaken, fill=255, width=round(2 * pen), joint="curve")
            for x, y in shaken:
                draw.ellipse([x - pen, y - pen, x + pen, y + pen], fill=255)
        glyph = glyph.resize((glyph.width // 2, glyph.height // 2), Image.Resampling.BILINEAR)
        self.put(glyph, middle, self.pressure())

    def pressure(self) -> float:
        writer = self.writer
        faint = 0.35 if writer.rng.random() < writer.faint else 1
        return float(np.clip(writer.pressure * writer.rng.normal(1, 0.06), 0.2, 1) * faint)

    def digit(self, value: int, middle: Point, size: float) -> None:
        writer, rng = self.writer, self.writer.rng
        middle = (middle[0] + rng.normal(0, 0.4), middle[1] + rng.normal(0, 0.4))
        height = size * rng.normal(1, 0.06)
        if writer.is_european and value in (1, 7):
            strokes = ONE if value == 1 else SEVEN
            self.strokes(strokes, (height * rng.uniform(0.4, 0.6), height), middle)
            return
        sample = Image.fromarray(writer.samples[value][rng.integers(6)])
        box = sample.point(lambda ink: 255 if ink > 60 else 0).getbbox() or (0, 0, 1, 1)
        glyph = sample.crop(box)
        tall = max(round(SCALE * height), 4)
        wide = max(round(tall * glyph.width / glyph.height * rng.normal(0.9, 0.06)), 3)
        lean = abs(writer.slant) * tall
        glyph = glyph.resize((wide, tall), Image.Resampling.BICUBIC)
        glyph = glyph.transform(
            (round(wide + lean + 4), tall),
            Image.Transform.AFFINE,
            (1, writer.slant, -2 - lean / 2 - writer.slant * tall / 2 + lean / 2, 0, 1, 0),
            Image.Resampling.BILINEAR,
        )
        self.put(glyph, middle, self.pressure())

    def scribble(self, box: Box) -> None:
        """Make a box black."""
        x, y, width, height = box
        rng = self.writer.rng
        lines = [
            (n % 2 * 0.9 + rng.normal(0.05, 0.08), n / 10 + rng.normal(0, 0.05))
            for n in range(int(rng.integers(7, 12)))
        ]
        self.strokes([lines], (width * 0.85, height * 0.8), (x + width / 2, y + height / 2))

    def count(self, value: int, boxes: tuple[Box, Box]) -> None:
        """Write a number into its two boxes, perhaps only after a wrong one."""
        writer, rng = self.writer, self.writer.rng
        (tens, top, width, height), (units, *_rest) = boxes
        y = top + height / 2
        if rng.random() < writer.crossed:
            self.digit(int(rng.integers(10)), (units + width / 2, y), writer.size)
            self.scribble(boxes[1])
            self.small(str(value), (units + width + 3.2, y), writer.size * 0.8)
            return
        if value == 0:
            for sign in writer.zero:
                if sign == "0":
                    self.digit(0, (units + width / 2, y), writer.size)
                else:
                    self.strokes([((0, 0.5), (1, 0.5))], (3.2, 1.5), (units + width / 2, y))
            return
        if value > 9:
            self.digit(value // 10, (tens + width / 2, y), writer.size)
        self.digit(value % 10, (units + width / 2, y), writer.size)

    def small(self, text: str, middle: Point, size: float) -> None:
        """Write a number without boxes."""
        for n, sign in enumerate(text):
            x = middle[0] + (n - (len(text) - 1) / 2) * size * 0.75
            self.digit(int(sign), (x, middle[1]), size)

    def tick(self, box: Box) -> None:
        x, y, width, height = box
        rng = self.writer.rng
        middle = (x + width / 2 + rng.normal(0, 0.35), y + height / 2 + rng.normal(0, 0.35))
        size = width * rng.uniform(0.7, 1.15)
        shapes: dict[str, Sequence[Sequence[Point]]] = {
            "cross": (((0, 0), (1, 1)), ((1, 0), (0, 1))),
            "check": (((0, 0.5), (0.35, 1), (1, 0)),),
            "slash": (((1, 0), (0, 1)),),
        }
        self.strokes(shapes[self.writer.tick], (size, size), middle)

    def total(self, value: int, boxes: Sequence[Box]) -> None:
        width, height = boxes[0][2:]
        text = str(abs(value))
        size = min(self.writer.size, width)
        for box, sign in zip(boxes[-len(text) :], text, strict=True):
            self.digit(int(sign), (box[0] + width / 2, box[1] + height / 2), size)
        if value < 0:
            left, top, *_rest = boxes[0 if self.writer.rng.random() < 0.8 else -len(text) - 1]
            self.strokes([((0, 0.5), (1, 0.5))], (2.8, 1), (left + width / 2, top + height / 2))

    def picture(self) -> Image.Image:
        return Image.fromarray(np.uint8(255 * (1 - np.clip(self.light, 0, 1))))


def write(
    ruleset: str, number: int, *, totals: bool = True, language: str = "tr", paper: str = "a4"
) -> tuple[Image.Image, Written]:
    """Return the picture of a filled-in sheet, and its contents."""
    rng = np.random.default_rng([4711, number])
    rules = RULESETS[ruleset]
    layout = layout_of(rules, paper)
    game, named = play(rules, rng)
    written = Written([], [int(total) for total in game.totals])
    for played, (contract, trump) in zip(game.deals, named, strict=True):
        [counts] = (played.deal.counts or {}).values()
        written.rows.append((contract.id, trump, counts))
    if rng.random() < 0.25:
        _err(written, rng)
    sheet = Sheet(printed(ruleset, language, paper), new_writer(rng))
    notes = rng.random() < 0.7
    for row, (contract_id, trump, counts) in enumerate(written.rows):
        ticks = layout.ticks[row]
        if ticks:
            sheet.tick(ticks[contract_id, trump])
            if rng.random() < 0.025:
                others = [key for key in ticks if key != (contract_id, trump)]
                written.blackened[row] = others[rng.integers(len(others))]
                sheet.scribble(ticks[written.blackened[row]])
        for boxes, value in zip(layout.counts[row], counts, strict=True):
            sheet.count(value, boxes)
            if notes and rng.random() < 0.5:
                _note(sheet, boxes[1], layout, rng)
    for x, boxes_of_side in zip(layout.columns, layout.totals, strict=True):
        sheet.small(str(rng.integers(100, 99999)), (x + 10, 37.5), 4)
        if totals:
            sheet.total(written.totals[layout.totals.index(boxes_of_side)], boxes_of_side)
    return sheet.picture(), written


def _note(sheet: Sheet, units: Box, layout: Layout, rng: np.random.Generator) -> None:
    """Write a running total beside a number."""
    x, y = units[0] + units[2], units[1] + units[3] / 2
    room = layout.columns[1] - layout.columns[0] - 2 * units[2]
    size = min(2.9, room / 4.5)
    sheet.small(str(rng.integers(10, 1500)), (x + room / 2 + rng.normal(0, 0.4), y), size)


def _err(written: Written, rng: np.random.Generator) -> None:
    """Let the writer be wrong by one in one row."""
    row = int(rng.integers(len(written.rows)))
    contract, trump, counts = written.rows[row]
    side, step = int(rng.integers(len(counts))), int(rng.choice([-1, 1]))
    if counts[side] + step >= 0:
        changed = (*counts[:side], counts[side] + step, *counts[side + 1 :])
        written.rows[row] = (contract, trump, changed)
        written.wrong_rows.add(row)


def photograph(page: Image.Image, number: int, megapixels: float | None = None) -> bytes:
    """Return a JPEG of a page as a phone sees it, from some side and in some light."""
    rng = np.random.default_rng([1123, number])
    millions = megapixels or float(rng.choice([2, 3, 5, 8, 12], p=(0.1, 0.25, 0.45, 0.12, 0.08)))
    short = round(np.sqrt(millions * 1e6 * 3 / 4))
    size = (short, round(short * 4 / 3))
    seen = _project(page, size, rng)
    light = _light(size, rng)
    pixels = np.asarray(seen, dtype=np.float32) * light
    turned = Image.fromarray(np.uint8(np.clip(pixels, 0, 255)))
    turned = turned.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 1.0) * short / 1500))
    pixels = _shake(np.asarray(turned, dtype=np.float32), rng, short)
    noise = rng.standard_normal(pixels.shape, dtype=np.float32)
    pixels = pixels + np.float32(rng.uniform(2, 7)) * noise
    file = io.BytesIO()
    final = Image.fromarray(np.uint8(np.clip(pixels, 0, 255)))
    final = final.rotate(90 * int(rng.integers(4)), expand=True)
    final.save(file, "JPEG", quality=int(rng.integers(55, 93)))
    return file.getvalue()


def _project(page: Image.Image, size: tuple[int, int], rng: np.random.Generator) -> Image.Image:
    """Return a bent page on a dark table as a camera above it sees it."""
    width, height = (length / SCALE for length in page.size)
    tilt = np.deg2rad(np.clip(rng.normal(0, 12, 2), -30, 30))
    roll = np.deg2rad(np.clip(rng.normal(0, 8), -30, 30))
    turn = _turn(0, tilt[0]) @ _turn(1, tilt[1]) @ _turn(2, roll)
    away = np.array([0, 0, rng.uniform(380, 550)])
    bend, phase, length = rng.uniform(0, 5), rng.uniform(0, 6.3), rng.uniform(200, 600)
    along = rng.uniform(0, np.pi)

    def rise(x: Any, y: Any) -> Any:
        where = x * np.cos(along) + y * np.sin(along)
        return bend * np.sin(2 * np.pi * where / length + phase)

    edge = np.linspace(-0.5, 0.5, 9)
    x, y = (each.ravel() for each in np.meshgrid(edge * width, edge * height))
    seen = np.column_stack([x, y, rise(x, y)]) @ turn.T + away
    flat = seen[:, :2] / seen[:, 2:]
    low, high = flat.min(axis=0), flat.max(axis=0)
    focal = (np.array(size) / (high - low)).min() * rng.uniform(0.86, 0.97)
    middle = np.array(size) / 2 - focal * (low + high) / 2
    step = 24
    grid = np.meshgrid(np.arange(0, size[0] + step, step), np.arange(0, size[1] + step, step))
    rays = np.stack([(grid[0] - middle[0]) / focal, (grid[1] - middle[1]) / focal], axis=-1)
    rays = np.concatenate([rays, np.ones((*rays.shape[:2], 1))], axis=-1) @ turn
    eye = -away @ turn
    level = np.zeros(rays.shape[:2])
    for _round in range(4):
        far = (level - eye[2]) / rays[..., 2]
        at = eye + far[..., None] * rays
        level = rise(at[..., 0], at[..., 1])
    source = SCALE * (at[..., :2] + np.array([width, height]) / 2)
    mesh = [
        (
            (step * i, step * j, step * (i + 1), step * (j + 1)),
            tuple(source[[j, j + 1, j + 1, j], [i, i, i + 1, i + 1]].ravel().tolist()),
        )
        for j in range(source.shape[0] - 1)
        for i in range(source.shape[1] - 1)
    ]
    paper = Image.new("L", page.size, 255)
    where, sampling = Image.Transform.MESH, Image.Resampling.BILINEAR
    covered = np.asarray(paper.transform(size, where, mesh, sampling), dtype=np.float32) / 255
    smaller = page.filter(ImageFilter.BoxBlur(max(SCALE * 260 / size[1] - 0.5, 0)))
    drawn = np.asarray(smaller.transform(size, where, mesh, sampling), dtype=np.float32)
    table = rng.normal(rng.uniform(25, 90), 9, (size[1] // 6 + 1, size[0] // 6 + 1))
    wood = Image.fromarray(table.astype(np.float32)).resize(size, Image.Resampling.BICUBIC)
    return Image.fromarray(drawn * covered + np.asarray(wood) * (1 - covered))


def _turn(axis: int, angle: float) -> Any:
    one, other = [n for n in range(3) if n != axis]
    matrix = np.eye(3)
    matrix[[one, one, other, other], [one, other, one, other]] = (
        np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle),
    )  # fmt: skip
    return matrix


def _light(size: tuple[int, int], rng: np.random.Generator) -> Any:
    """Return how bright each pixel is: a lamp to one side, and perhaps a shadow."""
    x, y = np.meshgrid(*(np.linspace(-1, 1, length, dtype=np.float32) for length in size))
    angle = rng.uniform(0, 2 * np.pi)
    light = rng.uniform(0.62, 0.9) * (
        1 + rng.uniform(0, 0.25) * (x * np.cos(angle) + y * np.sin(angle))
    )
    if rng.random() < 0.5:
        angle, where = rng.uniform(0, 2 * np.pi), rng.uniform(-0.5, 0.5)
        edge = (x * np.cos(angle) + y * np.sin(angle) - where) / rng.uniform(0.03, 0.3)
        light *= 1 - rng.uniform(0.1, 0.35) / (1 + np.exp(-np.clip(edge, -30, 30)))
    return light.astype(np.float32)


def _shake(pixels: Any, rng: np.random.Generator, short: int) -> Any:
    """Blur along one direction, as a hand that moves does."""
    far, angle = abs(rng.normal(0, 1.1)) * short / 1500, rng.uniform(0, np.pi)
    shifts = [
        (round(n * far * np.sin(angle)), round(n * far * np.cos(angle)))
        for n in (-1, -0.5, 0, 0.5, 1)
    ]
    blurred = sum(np.roll(pixels, shift, (0, 1)) for shift in sorted(set(shifts)))
    return blurred / np.float32(len(set(shifts)))


def sheets(
    ruleset: str, numbers: Sequence[int], *, totals: bool = True
) -> Iterator[tuple[bytes, Written]]:
    """Yield photographs of sheets with their contents."""
    for number in numbers:
        page, written = write(ruleset, number, totals=totals)
        yield photograph(page, number), written
