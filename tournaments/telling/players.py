"""What is told of a player: whom they met, and each game with what it changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.engine.rulesets import Points
from tournaments.models import Game, Player, PlayerRating
from tournaments.queries.players import Meeting, PlayerGame, Step
from tournaments.queries.ratings import ShownRating, shown
from tournaments.queries.sheets import Sheet, load_sheets
from tournaments.telling.player_sums import percent


def rating_row(rows: Sequence[PlayerRating], family: str) -> PlayerRating | None:
    """The rating in the club, among all of a player."""
    return next((r for r in rows if r.pool.club_id and r.pool.family == family), None)


# Others.


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody met at tables, and how often the player ended above them."""

    player: Player | None
    meeting: Meeting
    above: str


def opponents_of(met: Mapping[int, Meeting], most: int) -> list[Opponent]:
    """Those met most often (1 query); who was removed has no name and no page."""
    ordered = sorted(met.values(), key=lambda one: (-one.games, one.player))[:most]
    rows = Player.objects.in_bulk([one.player for one in ordered])
    return [Opponent(rows.get(one.player), one, percent(one.above, one.against)) for one in ordered]


# The games one by one.


@dataclass(frozen=True, slots=True)
class Played:
    """A game in the list; what it changed in the rating is None where it did not count."""

    game: PlayerGame
    row: Game
    others: str
    change: int | None
    rating: ShownRating | None
    sheet: Sheet | None

    @property
    def finished(self) -> bool:
        """Whether there is a place already."""
        return self.game.finished

    @property
    def place(self) -> int:
        """The place of the player's side, from 1."""
        return self.game.place

    @property
    def points(self) -> Points:
        """The total of the player's side: of a game that goes on so far."""
        if self.sheet is None:
            return self.game.points
        return self.sheet.game.totals[self.game.side]


def played(
    games: Sequence[PlayerGame], steps: Sequence[Step], rows: Mapping[int, Game]
) -> list[Played]:
    """Games with their rows (2 queries for those that go on)."""
    changed = {step.game: step for step in steps}
    going = [game.pk for game in games if not game.finished]
    sheets = (
        {sheet.row.pk: sheet for sheet in load_sheets(Game.objects.filter(pk__in=going))}
        if going
        else {}
    )
    found = []
    for game in games:
        step, row = changed.get(game.pk), rows[game.pk]
        names = [name for seat, name in enumerate(row.players) if seat != game.seat]
        change = rating = None
        if step is not None:
            rating = shown(step.after)
            change = rating.points - shown(step.before).points
        found.append(Played(game, row, " · ".join(names), change, rating, sheets.get(game.pk)))
    return found


def rows_of(games: Sequence[PlayerGame | None]) -> dict[int, Game]:
    """The rows of games with their evenings (1 query)."""
    rows = Game.objects.select_related("table__round__event").defer("result", "document")
    return rows.in_bulk({game.pk for game in games if game is not None})
