import json

from tests.factories import EVENING
from tournaments import models
from tournaments.engine.documents.tournaments import write_tournament
from tournaments.models import AuditRow, Club, Game, Player, Tournament
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.record_import import Into, import_tournament

OF_A_TOURNAMENT = (
    models.Ruling,
    models.Substitute,
    models.Sitting,
    models.Confirmation,
    models.Seat,
    Game,
    models.Table,
    models.Round,
    models.Entrant,
    Tournament,
    models.Event,
)


OF_A_CLUB = (models.Season, models.Merge, Player, models.HouseRuleset)


def exported():
    return write_tournament(tournament_document(Tournament.objects.get()))


def empty_server():
    for each in (*OF_A_TOURNAMENT, *OF_A_CLUB):
        each.objects.all().delete()
    lines = AuditRow.objects.all()
    lines._raw_delete(lines.db)
    Club.objects.all().delete()


def imported(text, **into):
    return import_tournament(json.loads(text), NOBODY, at=EVENING, into=Into(**into))
