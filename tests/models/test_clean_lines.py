from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from tests.club_factories import ClubFactory, PlayerFactory, SeasonFactory
from tests.deals import WHOLE_GAME
from tests.hostile_texts import STORED
from tests.tournament_builders import closed, running
from tournaments.engine.rules.entries import clean_line
from tournaments.models import Club, Event, Game, Player, Revision, Round, Season
from tournaments.models.people import fold_name
from tournaments.services.checks.caches import (
    look_at_folded_names,
    look_at_game_digests,
    look_at_round_digests,
)

ADJUSTED = (
    *WHOLE_GAME[:2],
    {"type": "adjustment", "seat": 0, "points": 5, "reason": "e\u0301\u200b"},
)


def clean():
    migration = import_module("tournaments.migrations.0047_clean_lines")
    migration.clean_all(apps, SimpleNamespace(connection=connection))


@pytest.mark.django_db
@pytest.mark.parametrize("text", STORED, ids=ascii)
def test_stored_texts_are_cleaned_and_codes_of_games_stay(text):
    row = running("Ayşe", "Burak", "Cem", "Deniz", rounds=1)
    closed(row, (*ADJUSTED, {"type": "stopped", "reason": "time"}))
    game = Game.objects.get()
    game.players[0], game.title = text, text
    game.save()
    Revision.objects.filter(revision=1).update(author=text, reason=text)
    Event.objects.update(name=text, venue=text)
    Club.objects.update(name=text)
    row.entrants.update(team=text)
    row.line_ups = {"1": {text: ["e1"]}}
    row.save()
    player = Player.objects.get(name="Ayşe")
    player.name = text
    player.save()
    codes = (game.digest, *Round.objects.values_list("digest", flat=True))

    clean()

    line = clean_line(text)
    game.refresh_from_db()
    row.refresh_from_db()
    first = Revision.objects.get(revision=1)
    assert (game.players[0], game.title, first.author, first.reason) == (line,) * 4
    assert Event.objects.values_list("name", "venue").get() == (line, line)
    assert (row.line_ups, row.entrants.first().team) == ({"1": {line: ["e1"]}}, line)
    assert Player.objects.filter(name=line, name_key=fold_name(line)).exists()
    assert (game.digest, *Round.objects.values_list("digest", flat=True)) == codes
    assert Revision.objects.get(revision=3).body["reason"] == "e\u0301\u200b"
    looks = (look_at_game_digests, look_at_round_digests, look_at_folded_names)
    assert [each.found for look in looks for each in look() if each.found] == []


@pytest.mark.django_db
@pytest.mark.parametrize("names", [("A B", "A\x01B", "a\x02b"), ("\x01", "\u3164", "Ali")])
def test_names_that_become_one_stay_different_and_none_is_empty(names):
    club = ClubFactory()
    for name in names:
        season = SeasonFactory(club=club)
        player = PlayerFactory(club=club)
        Season.objects.filter(pk=season.pk).update(name=name)
        player.name = name
        player.save()

    clean()

    # Names of players are compared folded, those of seasons as they are.
    for model, key in ((Player, fold_name), (Season, str)):
        found = list(model.objects.values_list("name", flat=True))
        assert len({key(name) for name in found} - {""}) == 3
        assert [clean_line(name) for name in found] == found
