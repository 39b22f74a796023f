from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, ContextFactory
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import AuditEntry, Game, Seat
from tournaments.services.audit import Actor
from tournaments.services.games import playing, tables
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.tables import Laying


def write(table, body=WHOLE_GAME[0], revision=0):
    context = ContextFactory(revision=revision, by=Actor(table=table.public_id))
    game = Game.objects.get(table=table)
    return lambda: playing.record_entry(game.pk, parse_entry(body), context)


BY = Actor(address="192.0.2.7")


TURKISH_KING = GameSetup("turkish-king", ())


def lay(round_, who=NAMES, head=TURKISH_KING, **fields):
    return tables.add_table(round_.pk, Laying(head, who, **fields), BY, at=EVENING)


def sitting(game):
    """The names of a game's players, from its rows, in seat order."""
    return [seat.player.name for seat in Seat.objects.filter(game=game).select_related("player")]


def audit():
    """The lines of the audit, the first one first: action, subject, before, after."""
    lines = AuditEntry.objects.order_by("pk")
    return [(line.action, line.subject, line.before, line.after) for line in lines]
