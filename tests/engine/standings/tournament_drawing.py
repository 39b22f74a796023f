"""Tournaments drawn by chance, for property tests, and their standings computed another way."""

from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from statistics import mean

from hypothesis import strategies as st

from tournaments.engine.play.outcomes import rank
from tournaments.engine.standings import results
from tournaments.engine.standings.tournament_settings import POINTS, TournamentSettings

# Few different totals, so that much is tied.
TOTALS = st.integers(-2, 2).map(lambda tens: tens * 10)

SETTINGS = st.builds(
    TournamentSettings,
    points=st.sampled_from(list(POINTS)),
    place_points=st.sampled_from([(4, 2, 1, 0), (3, 1), (5, 3, -1), (2, 2, 2, 1)]),
    tie_breaks=st.lists(st.sampled_from(list(results.TIE_BREAKS)), unique=True, max_size=4).map(
        tuple
    ),
    bye=st.sampled_from(["average", 0, 2]),
    tie_break_version=st.sampled_from([1, 2]),
)


@st.composite
def tables(draw, names):
    totals = tuple(draw(TOTALS) for _ in names)
    sides = range(len(names))
    return results.TableResult(
        tuple(names),
        totals,
        rank(totals),
        out=draw(st.sampled_from([(), tuple(side for side in sides if totals[side] > 0)])),
        kings=tuple(draw(st.lists(st.sampled_from(sides), max_size=1))),
        finished=draw(st.integers(0, 9)) > 0,
        unplayed=draw(st.sampled_from([0, 0, 10, Fraction(-5, 2)])),
    )


@st.composite
def played_rounds(draw, number, names, size):
    order = draw(st.permutations(names))
    seated = len(order) - len(order) % size
    sitting = [
        draw(tables(order[at : at + size])) for at in range(0, seated, size)
    ]  # fmt: skip
    rulings = []
    for name in draw(st.lists(st.sampled_from(order[:seated]), max_size=2)):
        kind = draw(st.sampled_from(["penalty", "adjusted", "forfeit", "absent", "bye"]))
        rulings.append(results.Ruling(name, kind, draw(st.integers(1, 30))))
    byes, table_of = tuple(order[seated:]), {n: t for t in sitting for n in t.entrants}
    # What is decided at a table that is still played is another story.
    rulings = [r for r in rulings if table_of[r.entrant].finished or r.kind == "penalty"]
    return results.RoundResults(number, tuple(sitting), byes, tuple(rulings))


@st.composite
def tournaments(draw):
    """Competitors, rounds and settings; the first of the competitors may be of the house."""
    size = draw(st.sampled_from([2, 4]))
    players = [f"p{at}" for at in range(draw(st.integers(size, 9)))]
    competitors = [results.Competitor(name, number) for number, name in enumerate(players)]
    if draw(st.booleans()):
        competitors[0] = replace(competitors[0], house=True)
    rounds = [
        draw(played_rounds(number, players, size)) for number in range(1, draw(st.integers(1, 4)))
    ]
    return competitors, rounds, draw(SETTINGS)


def standings_of(competitors, rounds, settings, seed):
    """Each entrant's key among the others (the largest first), without head-to-head."""
    names = [each.id for each in competitors if not each.house]
    by_round = {name: points_by_round(name, rounds, settings) for name in names}
    sums = {name: sum(points.values()) for name, points in by_round.items()}
    keys = {}
    for name in names:
        penalties = [r.points for each in rounds for r in each.rulings if r == fined(name, r)]
        values = tie_breaks_of(name, sums, rounds, settings)
        values["fewest-penalties"] = -len(penalties)
        values["lot"] = sha256(f"{seed} {name}".encode()).digest()
        chosen = [values[each] for each in settings.tie_breaks if each in values]
        keys[name] = (bool(by_round[name]), sums[name] - sum(penalties), *chosen)
    return keys


def fined(name, ruling):
    return replace(ruling, entrant=name, kind="penalty")


def tie_breaks_of(name, sums, rounds, settings):
    games = list(games_of(name, rounds))
    met = [
        sums[other]
        for at, _, _, table, _, _, kind in games
        if kind != "absent"
        for other in table.entrants
        if other in sums and other != name and decided(other, rounds[at]) != "absent"
    ]
    levels = settings.tie_break_version > 1
    return {
        "total-points": sum(
            total + (table.unplayed if levels and not kind else 0)
            for _, total, _, table, _, _, kind in games
        ),
        "place-points": sum(place_points(at, settings, table) for _, _, at, table, *_ in games),
        "wins": sum(win for *_, win, _, _ in games),
        "kings": sum(kings for *_, kings, _ in games),
        "opponents": sum(map(Fraction, met)) / len(met)
        if levels and met
        else -(10**9)
        if levels
        else sum(met),
        "best-game": max((total for _, total, *_, kind in games if not kind), default=-(10**9)),
    }


def decided(name, played):
    kinds = [r.kind for r in played.rulings if r.entrant == name and r.kind != "penalty"]
    return kinds[-1] if kinds and kinds[-1] != "adjusted" else ""


def ruling_on(name, played):
    rulings = [r for r in played.rulings if r.entrant == name and r.kind != "penalty"]
    return rulings[-1] if rulings else None


def games_of(name, rounds):
    """At, total, (places it stands on), table, win, kings, kind of forfeit."""
    for at, played in enumerate(rounds):
        kind = decided(name, played)
        for table in played.tables:
            if name in table.entrants and table.finished and kind != "bye":
                side = table.entrants.index(name)
                size = len(table.entrants)
                if kind:
                    yield at, ruling_on(name, played).points, [size], table, 0, 0, kind
                else:
                    rank = table.ranks[side]
                    places = range(rank, rank + table.ranks.count(rank))
                    best = Fraction(rank == 1, table.ranks.count(1))
                    win = Fraction(side in table.out) if table.out else best
                    kings = table.kings.count(side)
                    yield at, table.totals[side], list(places), table, win, kings, ""


def place_points(places, settings, table):
    size, given = len(table.entrants), settings.place_points
    worth = {size: given[-1]}
    for place in range(1, size):
        worth[place] = given[place - 1] if place - 1 < len(given) else given[-1]
    return mean(Fraction(worth[place]) for place in places)


def worth_of(game, name, settings):
    _, total, places, table, win, *_ = game
    if settings.points == "game":
        return total
    if settings.points == "places":
        return place_points(places, settings, table)
    if settings.points == "out":
        return win
    others = [t for who, t in zip(table.entrants, table.totals, strict=True) if who != name]
    return total - mean(map(Fraction, others))


def points_by_round(name, rounds, settings):
    points, played = {}, []
    for game in games_of(name, rounds):
        at, kind = game[0], game[-1]
        ruling = ruling_on(name, rounds[at])
        points[at] = worth_of(game, name, settings)
        if ruling is not None and ruling.kind == "adjusted":
            points[at] = ruling.points
        if kind != "absent":
            played.append(points[at])
    for at, each in enumerate(rounds):
        ruling = ruling_on(name, each)
        if ruling is not None and ruling.kind == "adjusted":
            points[at] = ruling.points
        elif name in each.byes or (ruling is not None and ruling.kind == "bye"):
            average = mean(map(Fraction, played)) if played else 0
            points[at] = average if settings.bye == "average" else settings.bye
    return points
