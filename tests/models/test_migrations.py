import json
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, record_all, reload
from tests.hostile_texts import SOME
from tests.paper_totals import lines_of, totals_of
from tests.services.imports.result_files import asked, take_over
from tests.services.imports.result_files import table as past_table
from tests.tournament_builders import closed, running
from tests.tournament_records import empty_server, exported, imported
from tests.web.rounds.going import going, table
from tournaments import models
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.results import DIFFERS
from tournaments.engine.documents.verify import verify
from tournaments.engine.rules.entries import clean_line
from tournaments.engine.variants import RULESETS
from tournaments.models.people import fold_name
from tournaments.queries.sheets import record_digest
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.checks import caches
from tournaments.services.checks.nights import compare_with_stored, look_at_all, repair
from tournaments.services.games import playing
from tournaments.services.games.playing import confirm_all
from tournaments.services.ratings.computing import rebuild_ratings
from tournaments.services.rounds.running import close_round

pytestmark = pytest.mark.django_db

FINE = {"type": "adjustment", "seat": 1, "points": -50, "to": "none", "reason": "revoke"}


def migration(name):
    return import_module(f"tournaments.migrations.{name}")


def convert():
    migration("0048_totals_as_one_entry").convert(apps, None)


def correct(game, position, change, why, by=NOBODY):
    body = {**reload(game).body(position), **change}
    context = ContextFactory(revision=reload(game).row.revision, by=by)
    playing.correct_entry(game.pk, position, parse_entry(body), why, context)


def state():
    rows = models.Game.objects.order_by("pk").values_list("pk", "result", "digest")
    return list(rows), models.Tournament.objects.values_list(
        "digest", "event__rounds__digest"
    ).get()


@pytest.fixture(params=["turkish-king", "turkish-king-partners", "euchre", "honeymoon-king"])
def evening(request):
    """A closed round: totals, corrected rightly and wrongly, and a game that keeps its lines."""
    rules = RULESETS[request.param]
    club = make.ClubFactory()
    director = Actor(make.MemberFactory(club=club, role="director").user)
    round_ = going(club, tables=4, ruleset=request.param, confirmations="two")
    games = [table(round_, number).games.get() for number in (1, 2, 3, 4)]
    totals = totals_of(rules)
    for game in games:
        record_all(game, lines_of(rules, totals))
        confirm_all(game.pk, reload(game).row.revision, NOBODY, at=EVENING)
    close_round(round_.pk, NOBODY, at=timezone.now())
    context = ContextFactory(revision=reload(games[1]).row.revision, by=director)
    playing.record_entry(games[1].pk, parse_entry(FINE), context)
    correct(games[1], 0, {"points": totals[0] + 30}, "misread", director)
    correct(games[1], 0, {"points": totals[0]}, "right before", director)
    correct(games[2], 0, {"points": totals[0] + 6900}, "misread", director)
    correct(games[3], 0, {"points": totals[0] + 1, "reason": "misread"}, "", director)
    rebuild_ratings()
    # What follows a commit.
    repair(list(look_at_all()))
    assert list(look_at_all()) == []
    return rules, games, totals


def test_stored_lines_become_versions_of_one_entry_and_nothing_else_changes(evening):
    rules, (plain, corrected, wrong, other), totals = evening
    before, lines, kept = state(), reload(plain).row.revision, reload(other)
    text = exported()

    convert()
    assert state() == before
    assert list(look_at_all()) == []
    bodies = [
        [(w.revision, str(w.kind), w.position, w.body, w.reason) for w in reload(game).revisions]
        for game in (plain, corrected, wrong)
    ]
    entry = {"type": "totals", "totals": totals}
    more = {"type": "totals", "totals": [totals[0] + 30, *totals[1:]]}
    far = {"type": "totals", "totals": [totals[0] + 6900, *totals[1:]]}
    flag = {} if rules.target else {"unchecked": True}
    assert bodies == [
        [(1, "entry", 0, entry, "")],
        [
            (1, "entry", 0, entry, ""),
            (2, "entry", lines, FINE, ""),
            (3, "correction", 0, more | flag, "misread"),
            (4, "correction", 0, entry, "right before"),
        ],
        [(1, "entry", 0, entry, ""), (2, "correction", 0, far | flag, "misread")],
    ]
    assert reload(other).revisions == kept.revisions
    assert (reload(wrong).game.expected_sum == sum(far["totals"])) is bool(rules.target)
    assert {c.revision for c in models.Confirmation.objects.filter(game=plain)} == {1}
    assert {c.revision for c in models.Confirmation.objects.filter(game=other)} == {lines}
    assert {c.revision for c in models.Confirmation.objects.filter(game=corrected)} == {1}
    audit = models.AuditEntry.objects.filter(subject=f"game:{plain.public_id}", action="entry")
    assert [each.after["result"] for each in audit] == ["entered"]
    now = json.loads(exported())
    for document in (json.loads(text), now):
        checked = verify(document)
        stored = compare_with_stored(document, models.Tournament.objects.get(), 10**6)
        assert [p for p in (*checked.points, *stored) if p.outcome == DIFFERS] == []
        assert not checked.problems
    convert()
    assert json.loads(exported()) == now
    # An export of before is taken in with its totals as one entry, too.
    models.Member.objects.all().delete()
    empty_server()
    imported(text)
    (games, sealed), (again, sealed_again) = before, state()
    assert [each[1:] for each in again] == [each[1:] for each in games]
    assert sealed_again == sealed
    told, told_again = (
        [t["game"]["writes"] for r in document["rounds"] for t in r["tables"]]
        for document in (now, json.loads(exported()))
    )
    assert told_again == told


def test_past_results_are_one_entry_too_and_stay_unrated():
    club = make.ClubFactory(rates_evenings=True)
    take_over(club, asked(past_table()))
    game = models.Game.objects.get()
    result = game.result
    rules, body = RULESETS["turkish-king"], reload(game).body(0)
    models.Revision.objects.all().delete()
    models.Game.objects.update(revision=0, result=None, digest="")
    context = ContextFactory(
        revision=0, by=Actor(make.MemberFactory(club=club, role="director").user)
    )
    lines = lines_of(rules, body["totals"], "imported")
    playing.record_entries(game.pk, map(parse_entry, lines), context)
    assert reload(game).row.result == result
    digest = reload(game).row.digest

    convert()

    assert (record_digest(reload(game).row, reload(game).revisions), reload(game).row.digest) == (
        digest,
        digest,
    )
    assert [w.body for w in reload(game).revisions] == [body]
    assert body["imported"] is True


ADJUSTED = (
    *WHOLE_GAME[:2],
    {"type": "adjustment", "seat": 0, "points": 5, "reason": "e\u0301\u200b"},
)


def clean():
    migration("0047_clean_lines").clean_all(apps, SimpleNamespace(connection=connection))


@pytest.mark.parametrize("text", SOME, ids=ascii)
def test_stored_texts_are_cleaned_and_codes_of_games_stay(text):
    row = running("Ayşe", "Burak", "Cem", "Deniz", rounds=1)
    closed(row, (*ADJUSTED, {"type": "stopped", "reason": "time"}))
    game = models.Game.objects.get()
    game.players[0], game.title = text, text
    game.save()
    models.Revision.objects.filter(revision=1).update(author=text, reason=text)
    models.Event.objects.update(name=text, venue=text)
    models.Club.objects.update(name=text)
    row.entrants.update(team=text)
    row.line_ups = {"1": {text: ["e1"]}}
    row.save()
    player = models.Player.objects.get(name="Ayşe")
    player.name = text
    player.save()
    codes = (game.digest, *models.Round.objects.values_list("digest", flat=True))

    clean()

    line = clean_line(text)
    game.refresh_from_db()
    row.refresh_from_db()
    first = models.Revision.objects.get(revision=1)
    assert (game.players[0], game.title, first.author, first.reason) == (line,) * 4
    assert models.Event.objects.values_list("name", "venue").get() == (line, line)
    assert (row.line_ups, row.entrants.first().team) == ({"1": {line: ["e1"]}}, line)
    assert models.Player.objects.filter(name=line, name_key=fold_name(line)).exists()
    assert (game.digest, *models.Round.objects.values_list("digest", flat=True)) == codes
    assert models.Revision.objects.get(revision=3).body["reason"] == "e\u0301\u200b"
    looks = (caches.look_at_game_digests, caches.look_at_round_digests, caches.look_at_folded_names)
    assert [found for look in looks for _rows, found in look() if found] == []


@pytest.mark.parametrize("names", [("A B", "A\x01B", "a\x02b"), ("\x01", "\u3164", "Ali")])
def test_names_that_become_one_stay_different_and_none_is_empty(names):
    club = make.ClubFactory()
    for name in names:
        season = make.SeasonFactory(club=club)
        player = make.PlayerFactory(club=club)
        models.Season.objects.filter(pk=season.pk).update(name=name)
        player.name = name
        player.save()

    clean()

    # Names of players are compared folded, those of seasons as they are.
    for model, key in ((models.Player, fold_name), (models.Season, str)):
        found = list(model.objects.values_list("name", flat=True))
        assert len({key(name) for name in found} - {""}) == 3
        assert [clean_line(name) for name in found] == found
