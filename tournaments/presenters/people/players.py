"""A player's opponents, and each of their games with its rating change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Game, Player, PlayerRating
from tournaments.presenters.people.player_sums import percent
from tournaments.queries.games.sheets import Sheet, load_sheets
from tournaments.queries.people.players import Meeting, PlayerGame, RatingStep
from tournaments.queries.ratings.ratings import ShownRating, shown


def rating_row(rows: Sequence[PlayerRating], family: str) -> PlayerRating | None:
    return next((r for r in rows if r.pool.club_id and r.pool.family == family), None)


# Opponents.


@dataclass(frozen=True, slots=True)
class Opponent:
    """Another player met at tables, and how often the player ended above them."""

    player: Player | None
    meeting: Meeting
    above: str


def opponents_of(met: Mapping[int, Meeting], most: int) -> list[Opponent]:
    """Return the most frequent opponents (1 query); a removed one has no name and no page."""
    ordered = sorted(met.values(), key=lambda one: (-one.games, one.player))[:most]
    rows = Player.objects.in_bulk([one.player for one in ordered])
    return [Opponent(rows.get(one.player), one, percent(one.above, one.against)) for one in ordered]


# The games one by one.


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in the list; its rating change is None if it did not count."""

    game: PlayerGame
    row: Game
    others: str
    change: int | None
    rating: ShownRating | None
    sheet: Sheet | None

    @property
    def shown(self) -> tuple[object, ...]:
        """Return all that its line shows."""
        row, rating = self.row, self.rating and self.rating.points
        event = row.table and row.table.round.event.name
        place = self.finished and self.place
        at = (row.public_id, event, row.title, row.played_at)
        return at, self.others, place, self.points, self.change, rating

    @property
    def finished(self) -> bool:
        return self.game.finished

    @property
    def place(self) -> int:
        return self.game.place

    @property
    def points(self) -> Points:
        """Return the total of the player's side, up to now if the game goes on."""
        if self.sheet is None:
            return self.game.points
        return self.sheet.game.totals[self.game.side]


def played(
    games: Sequence[PlayerGame], steps: Sequence[RatingStep], rows: Mapping[int, Game]
) -> list[ListedGame]:
    """Return games with their rows (2 queries for unfinished ones)."""
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
        found.append(ListedGame(game, row, " · ".join(names), change, rating, sheets.get(game.pk)))
    return found


LISTED = ("public_id", "ruleset", "players", "title", "played_at", "table__round__event__name")
"""The fields of a game, and of its evening, that lists show."""

PLAYED = (*LISTED, "document", "result", "table__round__event__season")
"""With those of the results of its players."""


def rows_of(games: Sequence[PlayerGame | None]) -> dict[int, Game]:
    """Return the rows of games with what lists show of them (1 query)."""
    return rows_with(LISTED, (game.pk for game in games if game is not None))


def rows_with(fields: Sequence[str], keys: Iterable[int]) -> dict[int, Game]:
    """Return the rows of games with some fields (1 query)."""
    return Game.objects.select_related("table__round__event").only(*fields).in_bulk({*keys})
