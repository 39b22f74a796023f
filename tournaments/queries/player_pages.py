"""What pages, documents and the API show of players, ready for templates.

`named_player` is a name with its link, for every page that lists players. The rest makes the blocks
of a player's own page of the sums that `queries.players` loads: figures, places, contracts, badges,
opponents, games.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from babel.numbers import format_decimal, format_percent
from django.urls import reverse
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Points, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Game, Player
from tournaments.queries.players import Contracted, Meeting, PlayerGame, PlayerSums, RatingStep
from tournaments.queries.ratings import DisplayedRating, displayed
from tournaments.queries.sheets import Sheet, load_sheets, rules_of
from tournaments.texts import labels


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player's name, with a link for those who may follow it; removed players have none."""

    name: str
    url: str = ""


def named_player(club: Club, player: Player, *, member: bool) -> NamedPlayer:
    """Return a player by name, with a link for those who may see the page."""
    if player.removed_at is not None:
        return NamedPlayer(_("removed player"))
    seen = member or has_page(club, player)
    url = reverse("player", args=[club.slug, player.public_id]) if seen else ""
    return NamedPlayer(player.shown_name, url)


def has_page(club: Club, player: Player) -> bool:
    """Return whether strangers, too, may open the page of a player."""
    return club.shows_names and not player.initials and player.removed_at is None


def named_players(club: Club, keys: Iterable[int], *, member: bool) -> dict[int, NamedPlayer]:
    """Return players of a club by key (1 query)."""
    rows = Player.objects.in_bulk(list(keys))
    return {pk: named_player(club, player, member=member) for pk, player in rows.items()}


BAR = 100
"""The width of the longest bar, in the units of its drawing."""


def figures_of(sums: PlayerSums) -> list[dict[str, str]]:
    """Return the figures at the top; those for "out" and Kings only if there were any.

    `share` is the part of the total, if that says something.
    """
    won = {"name": _("Won"), "value": str(sums.won), "share": percent(sums.won, sums.games)}
    mean = average(sums.points, sums.games)
    found = [won, {"name": _("Points on average"), "value": mean, "share": ""}]
    if sums.out or sums.sunk:
        share = percent(sums.out, sums.out + sums.sunk)
        found.insert(1, {"name": _("Out"), "value": str(sums.out), "share": share})
    if sums.kings:
        found.append({"name": _("Kings made"), "value": str(sums.kings), "share": ""})
    return found


def places_of(sums: PlayerSums) -> list[dict[str, Any]]:
    """Return the places by the games' number of sides, the most frequent first.

    A row is a place, the number of times it was taken, its share, and the length of its bar.
    """
    sizes = Counter[int]()
    for (sides, _place), games in sums.places.items():
        sizes[sides] += games
    found = []
    for sides, total in sizes.most_common():
        times = {place: sums.places[sides, place] for place in range(1, sides + 1)}
        longest = max(times.values())
        rows = [
            {
                "place": place,
                "games": games,
                "share": percent(games, total),
                "bar": round(BAR * games / longest, 1),
            }
            for place, games in times.items()
        ]
        found.append({"sides": sides, "games": total, "rows": rows})
    return found


def contracts_of(sums: PlayerSums, rulesets: Mapping[str, Ruleset]) -> list[dict[str, Any]]:
    """Return the contracts in order, each with the deals declared and the others, and averages."""
    known = {name: rules for rules in rulesets.values() for name in rules.by_id}
    return [
        {
            "name": labels.contract_title(known[name], name)
            if name in known
            else labels.contract_name(name),
            "declared": earned.declared,
            "earned": average(earned.declared_points, earned.declared),
            "others": earned.others,
            "earned_otherwise": average(earned.others_points, earned.others),
            "favourite": is_favourite,
        }
        for name, earned, is_favourite in contracts_in_order(sums, rulesets)
    ]


def contracts_in_order(
    sums: PlayerSums, rulesets: Mapping[str, Ruleset]
) -> list[tuple[str, Contracted, bool]]:
    """Return the contracts in the order of their games, with the favourite marked."""
    names = dict.fromkeys(contract for rules in rulesets.values() for contract in rules.by_id)
    order = {name: number for number, name in enumerate(names)}
    rows = sorted(sums.contracts.items(), key=lambda item: order.get(item[0], len(order)))
    favourite = favourite_of(sums, rulesets.values())
    return [(name, earned, name == favourite) for name, earned in rows]


def favourite_of(sums: PlayerSums, rulesets: Iterable[Ruleset]) -> str | None:
    """Return the contract declared most by free choice; None if there is a tie."""
    forced: set[str] = set()
    """Contracts that never have an alternative, such as trump in King."""
    for rules in rulesets:
        choices = [stage.contracts for stage in rules.stages] or [tuple(rules.by_id)]
        # Each side has to declare a number of each kind, so another kind is no alternative.
        quotas = rules.side_quotas
        kinds = {n: one.kind if one.kind in quotas else "" for n, one in rules.by_id.items()}
        forced |= rules.by_id.keys() - {
            name
            for choice in choices
            for name in choice
            if any(kinds[other] == kinds[name] for other in choice if other != name)
        }
    times = Counter({n: one.declared for n, one in sums.contracts.items() if n not in forced})
    most = [*times.most_common(2), ("", 0), ("", 0)]
    return most[0][0] if most[0][1] > most[1][1] else None


class HasRuleset(Protocol):
    """A game, or the newest of a ruleset; `house` if the rules are a club's own."""

    @property
    def pk(self) -> int: ...
    @property
    def ruleset(self) -> str: ...
    @property
    def house(self) -> bool: ...


def rulesets_of(games: Sequence[HasRuleset]) -> dict[str, Ruleset]:
    """Return the rulesets played, by id; house rules as in the first game (1 query, if any)."""
    found = {game.ruleset: RULESETS[game.ruleset] for game in games if not game.house}
    last = {game.ruleset: game.pk for game in reversed(games) if game.house}
    if last:
        rows = Game.objects.filter(pk__in=list(last.values())).only("ruleset", "document")
        found |= {row.ruleset: rules_of(row) for row in rows}
    return found


def badges_of(sums: PlayerSums) -> list[dict[str, Any]]:
    """Return the badges earned, the most frequent first."""
    return [
        {
            "badge": badge,
            "name": labels.badge_name(badge),
            "meaning": labels.badge_meaning(badge),
            "number": number,
        }
        for badge, number in sums.badges.most_common()
    ]


# Number formats.


def average(total: Points, number: int) -> str:
    """Return a localized mean with one decimal; a dash if `number` is 0.

    Without a mark between thousands, as all points are written.
    """
    if not number:
        return "–"
    mean = round(float(total / number), 1) + 0.0
    text = format_decimal(mean, format="0.0", locale=get_language() or "en")
    return text.replace("-", labels.MINUS)


def percent(part: int, whole: int) -> str:
    """Return a localized percentage; a dash if `whole` is 0."""
    if not whole:
        return "–"
    return format_percent(part / whole, format=None, locale=get_language() or "en")


# Opponents.


def opponents_of(met: Mapping[int, Meeting], most: int) -> list[dict[str, Any]]:
    """Return the most frequent opponents (1 query); a removed one has no name and no page.

    `above` is the share of games in which the player ended above the opponent.
    """
    ordered = sorted(met.values(), key=lambda one: (-one.games, one.player))[:most]
    rows = Player.objects.in_bulk([one.player for one in ordered])
    return [
        {
            "player": rows.get(one.player),
            "meeting": one,
            "above": percent(one.above, one.against),
        }
        for one in ordered
    ]


# The games one by one.


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in the list; its rating change is None if it did not count."""

    game: PlayerGame
    row: Game
    others: str
    change: int | None
    rating: DisplayedRating | None
    sheet: Sheet | None

    @property
    def fragment_key(self) -> tuple[object, ...]:
        """Return all that a line of the list shows: its cached HTML is keyed by it."""
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


def listed_games(
    games: Sequence[PlayerGame], steps: Sequence[RatingStep], rows: Mapping[int, Game]
) -> list[ListedGame]:
    """Return lines for games of one player (2 queries if some are unfinished).

    `steps` are the player's rating changes, `rows` the games by key, as `rows_of` loads them.
    """
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
            rating = displayed(step.after)
            change = rating.points - displayed(step.before).points
        found.append(ListedGame(game, row, " · ".join(names), change, rating, sheets.get(game.pk)))
    return found


LIST_FIELDS = ("public_id", "ruleset", "players", "title", "played_at", "table__round__event__name")
"""The fields of a game, and of its evening, that lists show; for `rows_with`."""

RESULT_FIELDS = (*LIST_FIELDS, "document", "result", "table__round__event__season")
"""`LIST_FIELDS`, and the fields that the results of the players are read from."""


def rows_of(games: Sequence[PlayerGame | None]) -> dict[int, Game]:
    """Return the rows of games with what lists show of them (1 query)."""
    return rows_with(LIST_FIELDS, (game.pk for game in games if game is not None))


def rows_with(fields: Sequence[str], keys: Iterable[int]) -> dict[int, Game]:
    return Game.objects.select_related("table__round__event").only(*fields).in_bulk({*keys})


def facts_of(
    rating: DisplayedRating | None, rank: tuple[int, int] | None, sums: PlayerSums
) -> list[tuple[str, str]]:
    """Return the name and value of the first figures of a player."""
    facts = []
    if rating is not None:
        facts.append((_("Rating"), f"{rating.points} ± {rating.within}"))
    if rank is not None:
        facts.append((_("Place in the club"), f"{rank[0]} / {rank[1]}"))
    won, *_rest = figures_of(sums)
    facts.append((pgettext("played", "Games"), str(sums.games)))
    facts.append((won["name"], " · ".join(filter(None, [won["value"], won["share"]]))))
    return facts
