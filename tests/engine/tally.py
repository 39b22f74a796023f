"""The naive running score of a game that has a winner, but no one out or sunk."""

from fractions import Fraction

from tests.engine.oracle import plain


class Tally:
    """Rows and totals of a game; `side_of` gives the side of each seat."""

    def __init__(self, side_of):
        self.side_of = side_of
        self.totals = [Fraction(0)] * (max(side_of) + 1)
        self.expected = Fraction(0)
        self.rows = []

    def add(self, index, points, expected):
        """Add the points of one entry, which should come to `expected` in all."""
        self.totals = [total + point for total, point in zip(self.totals, points, strict=True)]
        self.expected += expected
        self.rows.append(
            {
                "entry": index,
                "points": [plain(point) for point in points],
                "totals": [plain(total) for total in self.totals],
                "expected_sum": plain(self.expected),
            }
        )

    def adjust(self, index, entry):
        """Add an adjustment: to the side of a seat, and from the others if so written."""
        points = [Fraction(0)] * len(self.totals)
        given = Fraction(entry["points"])
        own = self.side_of[entry["seat"]]
        if entry.get("to") == "others":
            points = [-given / (len(points) - 1)] * len(points)
        points[own] = given
        self.add(index, points, given if entry.get("to", "none") == "none" else 0)

    def result(self, ended_by, ahead):
        """The `kingscore-result/1` document."""
        return {
            "format": "kingscore-result/1",
            "valid": True,
            "problems": [],
            "entries": self.rows,
            "totals": [plain(total) for total in self.totals],
            "expected_sum": plain(self.expected),
            "finished": ended_by is not None,
            "ended_by": ended_by,
            "next": None if ended_by else {**ahead, "must": None},
            "ranks": [1 + sum(other > total for other in self.totals) for total in self.totals],
            "out": [],
            "sunk": [],
            "badges": [],
        }
