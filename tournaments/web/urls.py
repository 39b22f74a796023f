"""Addresses of every page."""

from django.urls import include, path

from tournaments.web import guide, home
from tournaments.web.documents import pages as documents
from tournaments.web.rules import pages as rules
from tournaments.web.tables import matches, pen, starting

GAME = "<str:public_id>/<str:secret>"

urlpatterns = [
    # Before all others, as most that is asked is asked there.
    path("", include("tournaments.web.scoring.urls")),
    path("", home.home, name="home"),
    path("offline/", home.offline, name="offline"),
    path("guide/", guide.guide, name="guide"),
    path("new/", starting.new_table, name="new"),
    path("sample/", home.open_sample, name="sample"),
    path("preferences/", home.change_preferences, name="preferences"),
    path(f"play/{GAME}/pen/", pen.pen, name="pen"),
    path(f"play/{GAME}/delete/", pen.delete, name="delete"),
    path(f"play/{GAME}/rematch/", starting.rematch, name="rematch"),
    path(f"play/{GAME}/next-game/", matches.next_game, name="next_game"),
    path(f"play/{GAME}/scoresheet/", documents.scoresheet, name="scoresheet"),
    path(f"take/{GAME}/", pen.take, name="take"),
    path(f"follow/{GAME}/scoresheet/", documents.follow_scoresheet, name="follow_scoresheet"),
    path(f"follow/{GAME}/record.json", documents.follow_record, name="follow_record"),
    path("reports/<int:pk>/<str:secret>/", documents.report, name="report"),
    path("reports/<int:pk>/<str:secret>/file/", documents.report_file, name="report_file"),
    path("empty-sheet/<slug:ruleset>/", documents.empty_sheet, name="empty_sheet"),
    path(f"play/{GAME}/rules/", rules.rules_at_table, name="rules_at_table"),
    path(f"follow/{GAME}/rules/", rules.rules_followed, name="rules_followed"),
    path("rules/", rules.rules_index, name="rules"),
    path("rules/<slug:ruleset>/", rules.rules_of_game, name="rules_of_game"),
    path("rules/<slug:ruleset>.json", rules.rules_json, name="rules_json"),
    path("", include("tournaments.web.rules.urls")),
    path("", include("tournaments.web.clubs.urls")),
    path("", include("tournaments.web.webhooks.urls")),
    path("", include("tournaments.web.people.urls")),
    path("", include("tournaments.web.events.urls")),
    path("", include("tournaments.web.importing.urls")),
    path("", include("tournaments.web.documents.urls")),
    path("", include("tournaments.web.tournaments.urls")),
    path("", include("tournaments.web.entrants.urls")),
    path("", include("tournaments.web.rounds.drawing_urls")),
    path("", include("tournaments.web.standings.urls")),
    path("", include("tournaments.web.rounds.urls")),
    path("", include("tournaments.web.ratings.urls")),
]
