"""Small curves of sums, as paths of an inline SVG."""

from collections.abc import Sequence

from tournaments.engine.rules.rulesets import Points

Size = tuple[int, int, int]
"""Width and height of a curve, and the space left at its edges, in pixels."""


def curve_of(
    course: Sequence[Points], low: Points, high: Points, size: Size
) -> tuple[str, tuple[str, str]]:
    """Return the path of a curve through the sums so far, from 0, and its last point."""
    width, height, edge = size
    step = (width - 2 * edge) / max(len(course), 1)
    rise = (height - 2 * edge) / float(high - low or 1)
    at = [
        (f"{edge + step * number:.1f}", f"{height - edge - rise * float(points - low):.1f}")
        for number, points in enumerate((0, *course))
    ]
    return "M" + "L".join(f"{x} {y}" for x, y in at), at[-1]
