"""What the boxes of a straightened page say: a small network for digits, and ticks by their ink.

`python -m benchmarks.photo_training` makes the weights; `digits.md` says of what.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tournaments.photos.layout import DIGIT_WIDTH, Box
from tournaments.photos.straighten import Page, bilinear

Floats = NDArray[Any]

WEIGHTS = Path(__file__).with_name("digits.npz")
DIGIT, TICK = 28, 16
"""The pixels of a side of what is cut out."""

DIGIT_LENGTH, TICK_MARGIN = 8.4, 1.4
"""Millimetres cut out for a digit in a wide box, and around the box of a tick."""

EMPTY, DASH, BLOT, CLASSES = 10, 11, 12, 13
FLOOR = 2e-4
"""The least probability of a class, so that one sure misreading cannot silence the sum."""

LONE_TENS = 0.05
"""How probable a number of one digit is in the box of the tens, compared to its own box."""

INSIDE, ENDS = slice(3, 13), (slice(0, 3), slice(13, 16))


@cache
def weights() -> Mapping[str, Floats]:
    with np.load(WEIGHTS) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def digit_features(patches: Floats) -> Floats:
    """Return what the network sees of each patch: directions of strokes, coarse pixels, sizes."""
    count = len(patches)
    peak = np.percentile(patches.reshape(count, -1), 98, axis=1)
    ink = np.clip(patches / np.maximum(peak, 0.3)[:, None, None], 0, 1.2)
    dark = np.clip(ink - 0.3, 0, None)
    mass = np.maximum(dark.sum(axis=(1, 2)), 1e-3)
    line = np.arange(DIGIT)
    middle = np.stack([(dark.sum(axis=axis) @ line) / mass for axis in (1, 2)], axis=1)
    spread = np.stack(
        [
            np.sqrt(((dark.sum(axis=axis) * (line - middle[:, [n]]) ** 2).sum(axis=1)) / mass)
            for n, axis in enumerate((1, 2))
        ],
        axis=1,
    )
    width = np.clip(4.2 * np.maximum(spread[:, 1], 1.2 * spread[:, 0]), 12, DIGIT)
    steps = (np.arange(24) + 0.5) / 24 - 0.5
    x = middle[:, 0, None, None] + width[:, None, None] * steps[None, None, :]
    y = middle[:, 1, None, None] + width[:, None, None] * steps[None, :, None]
    # All patches below one another, so that they are read at once.
    tall = ink.reshape(-1, DIGIT)
    y = np.clip(y, 0, DIGIT - 1.01) + DIGIT * np.arange(count)[:, None, None]
    normal = bilinear(np.vstack([tall, tall[-1:]]), x, y)
    down, across = np.gradient(normal, axis=(1, 2))
    angle = np.mod(np.arctan2(down, across) / (2 * np.pi) * 8, 8)
    length = np.hypot(down, across)
    low = angle.astype(int) % 8
    share = angle - np.floor(angle)
    histogram = np.zeros((8, count, 6, 6))
    for n in range(8):
        votes = length * ((low == n) * (1 - share) + ((low + 1) % 8 == n) * share)
        histogram[n] = votes.reshape(count, 6, 4, 6, 4).sum(axis=(2, 4))
    directions = np.sqrt(np.moveaxis(histogram, 0, 1).reshape(count, -1))
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 0.5)
    coarse = normal.reshape(count, 12, 2, 12, 2).mean(axis=(2, 4)).reshape(count, -1)
    sizes = np.column_stack([mass / 100, peak, middle / DIGIT, spread / 10, ink.mean(axis=(1, 2))])
    return np.hstack([4 * directions, coarse, sizes]).astype(np.float32)


def read_digits(patches: Floats) -> Floats:
    """Return the probability of each class for each patch."""
    stored = weights()
    layer = (digit_features(patches) - stored["mean"]) / stored["deviation"]
    for n in range(3):
        layer = layer @ stored[f"weights{n}"] + stored[f"bias{n}"]
        if n < 2:
            layer = np.maximum(layer, 0)
    shares = np.exp(layer - layer.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray((shares + FLOOR) / (1 + CLASSES * FLOOR))


def read_boxes(page: Page, boxes: Sequence[Box]) -> Floats:
    """Return the probability of each class for boxes of digits, which are all as wide."""
    return read_digits(page.cut(boxes, DIGIT_LENGTH * boxes[0][2] / DIGIT_WIDTH, DIGIT))


def count_logarithms(tens: Floats, units: Floats, most: int) -> list[float]:
    """Return the logarithm of the probability of each number from 0 to `most`."""
    nothing = EMPTY, DASH, 0
    no_tens, no_units = (sum(float(box[n]) for n in nothing) for box in (tens, units))
    likely = [no_tens * no_units]
    for number in range(1, most + 1):
        if number < 10:
            lone = LONE_TENS * float(tens[number] * units[EMPTY])
            likely.append(no_tens * float(units[number]) + lone)
        else:
            likely.append(float(tens[number // 10] * units[number % 10]))
    # Under a blot it may be any of them.
    blot = float(tens[BLOT] + units[BLOT] - tens[BLOT] * units[BLOT]) / (most + 1)
    return [float(np.log(each + blot)) for each in likely]


def read_total(digits: Floats) -> tuple[int | None, float]:
    """Return the total in some boxes, None if they are empty, and its probability."""
    nothing, minus = np.log(digits[:, EMPTY]), np.log(digits[:, DASH])
    values, surest = digits[:, :10].argmax(axis=1), np.log(digits[:, :10].max(axis=1))
    # The best reading of each place and sign, and all readings there together.
    best: list[tuple[float, int | None]] = [(float(nothing.sum()), None)]
    every = [float(nothing.sum())]
    some = np.log(digits[:, :10].sum(axis=1))
    for first, end in combinations(range(len(digits) + 1), 2):
        value = int("".join(map(str, values[first:end])))
        rest = float(nothing[:first].sum() + nothing[end:].sum())
        for sign in {-1, 0, first - 1} if first else {-1}:
            signed = rest if sign < 0 else rest - float(nothing[sign] - minus[sign])
            best.append((float(surest[first:end].sum()) + signed, value if sign < 0 else -value))
            every.append(float(some[first:end].sum()) + signed)
    score, total = max(best, key=itemgetter(0))
    return total, float(np.exp(score - np.logaddexp.reduce(every)))


def tick_features(page: Page, rows: Sequence[Mapping[tuple[str, str], Box]]) -> Floats:
    """Return what tells a crossed box from an empty and a black one, row by row."""
    boxes = [box for row in rows for box in row.values()]
    patches = page.cut(boxes, boxes[0][2] + TICK_MARGIN, TICK)
    columns = np.array([box[0] for box in boxes])
    # What is printed is in all boxes of a column; of few rows a cross could be in as many.
    printed = np.percentile(patches, 30, axis=0)[None].repeat(len(boxes), axis=0)
    for column in np.unique(columns):
        same = columns == column
        if same.sum() >= 8:
            printed[same] = np.percentile(patches[same], 30, axis=0)
    ink = np.clip(patches - printed, 0, 1)
    ink /= np.clip(np.percentile(ink[:, INSIDE, INSIDE], 97), 0.3, 0.9)
    inside = ink[:, INSIDE, INSIDE]
    diagonal = np.eye(10, dtype=bool) | np.eye(10, k=1, dtype=bool) | np.eye(10, k=-1, dtype=bool)
    return np.column_stack(
        [
            inside.mean(axis=(1, 2)),
            (inside > 0.5).mean(axis=(1, 2)),
            inside[:, diagonal].mean(axis=1),
            inside[:, diagonal[::-1]].mean(axis=1),
            np.percentile(inside.reshape(len(ink), -1), 90, axis=1),
            np.mean([ink[:, rows].mean(axis=(1, 2)) for rows in ENDS], axis=0),
        ]
    )


def read_ticks(page: Page, rows: Sequence[Mapping[tuple[str, str], Box]]) -> Floats:
    """Return how probable it is that each box is empty, crossed or black."""
    stored = weights()
    scores = tick_features(page, rows) @ stored["tick_weights"] + stored["tick_bias"]
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray((shares + FLOOR) / (1 + 3 * FLOOR))
