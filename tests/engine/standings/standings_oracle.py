"""Standings computed another way: one entrant at a time, straight from the words of the rules."""

from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from statistics import mean


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
            if name in table.entrants and table.finished:
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
        elif name in each.byes:
            average = mean(map(Fraction, played)) if played else 0
            points[at] = average if settings.bye == "average" else settings.bye
    return points
