from tests import club_factories as make
from tests.factories import EVENING, GameFactory
from tournaments.models import Game, Player, Table


def evening(season, points, /, *, state="finished", published=False, **settings):
    """A tournament of the season in which each of four had so many points, a round after another.

    `points` are a dict by name for each round; two names joined by a plus are a pair.
    """
    event = make.EventFactory(club=season.club, season=season, published=published)
    kept = {"rounds": len(points), **settings}
    row = make.TournamentFactory(event=event, state=state, settings=kept)
    entrants = {name: entrant(row, name) for name in points[0]}
    for number, totals in enumerate(points, 1):
        play(row, number, {entrants[name]: worth for name, worth in totals.items()})
    return row


def entrant(row, names):
    people = [
        Player.objects.filter(club=row.event.club).called(name).first()
        or make.PlayerFactory(club=row.event.club, name=name)
        for name in names.split("+")
    ]
    return make.EntrantFactory(
        tournament=row,
        number=row.entrants.count() + 1,
        player=people[0],
        partner=people[1] if people[1:] else None,
        house=names.startswith("Ev"),
    )


def play(row, number, totals, *, closed=True):
    at = {"published_at": EVENING, "closed_at": EVENING if closed else None}
    stage = "final" if number > row.settings["rounds"] else ""
    round_ = make.RoundFactory(event=row.event, number=number, stage=stage, **at)
    table = Table.objects.create(round=round_, number=1)
    for side, each in enumerate(totals):
        make.SittingFactory(round=round_, entrant=each, table=table, side=side)
    worth = list(totals.values())
    result = {
        "totals": worth,
        "ranks": [1 + sum(other > own for other in worth) for own in worth],
        "out": [],
        "sunk": [],
        "kings": [],
    }
    Game.objects.filter(pk=GameFactory().pk).update(table=table, result=result)
    return round_
