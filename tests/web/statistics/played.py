from datetime import timedelta

from tests.club_factories import EventFactory, RoundFactory, TableFactory
from tests.factories import EVENING
from tournaments.models import Game

FOUR = ("Ayşe", "Burak", "Cem", "Deniz")


def games(club, *totals, names=FOUR, at=EVENING, kings=(), **event):
    held = EventFactory(club=club, **event)
    round_ = RoundFactory(event=held, closed_at=at)
    for number, worth in enumerate(totals, 1):
        table = TableFactory(round=round_, number=number, players=names)
        out = [side for side, points in enumerate(worth) if points > 0]
        result = {
            "totals": list(worth),
            "ranks": [1 + sum(other > own for other in worth) for own in worth],
            "out": out,
            "sunk": [side for side in range(4) if side not in out],
            "kings": list(kings),
            "contracts": {"last-two": []},
        }
        when = at + timedelta(minutes=number)
        Game.objects.filter(table=table).update(result=result, played_at=when)
    return held
