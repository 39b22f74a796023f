"""The points of an evening as a line chart."""

from collections.abc import Sequence

from tournaments.engine.play.outcomes import FinishedGame, courses
from tournaments.web.games.deals.chart_view import SHAPES, Chart, Tick, draw_lines, x_at


def draw_evening(games: Sequence[FinishedGame], numbers: Sequence[int]) -> Chart | None:
    """Return the points of each player after each row of all games; None before the first."""
    lines = courses(games)
    columns = sum(len(played.game.rows) for played in games)
    if not columns:
        return None
    ticks, begun = [], 0
    for played, number in zip(games, numbers, strict=True):
        rows = len(played.game.rows)
        ticks.append(Tick(round(x_at(begun + rows / 2, columns), 1), f"{number}."))
        begun += rows
    ends = [(name, [name], number % len(SHAPES)) for number, name in enumerate(lines)]
    return draw_lines(ends, list(lines.values()), columns, tuple(ticks))
