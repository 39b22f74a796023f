from django.urls import reverse

from tests.club_factories import TournamentFactory
from tournaments.engine.standings.tournament_settings import TournamentSettings, write_settings

ANSWERS = {
    "name": "Moda Açık",
    "held_on": "2026-11-20",
    "season": "day",
    "ruleset": "turkish-king",
    "confirmations": "none",
    "rounds": "5",
    "seating": "swiss",
    "points": "places",
    "rated_by": "points",
    "place_points": "4 2 1 0",
    "tie0": "wins",
    "tie1": "lot",
    "odd": "bye",
    "bye": "fixed",
    "bye_points": "1/2",
    "missed": "0",
    "finals": "0",
    "objective": "new-opponents",
    "overtime": "as-it-stands",
    "check_in": "once",
    "minutes": "75",
}


def tournament_of(club, **fields):
    settings = write_settings(TournamentSettings(**fields.pop("settings", {})))
    return TournamentFactory(event__club=club, slug="acik", settings=settings, **fields)


def at(name, *more):
    return reverse(name, args=["moda", "acik", *more])


def sent_by(form):
    values = {name: form[name].value() for name in form.fields}
    return {
        name: v
        for name, v in values.items()
        if v is not None and (v is not False or form[name].widget_type != "checkbox")
    }
