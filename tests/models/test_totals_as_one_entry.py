"""Results from paper that were stored as lines become one entry each, with all that follows."""

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from tests.club_factories import ClubFactory, MemberFactory
from tests.factories import EVENING, ContextFactory, record_all, reload
from tests.paper_totals import lines_of, totals_of
from tests.services.imports.result_files import asked, take_over
from tests.services.imports.result_files import table as past_table
from tests.tournament_records import empty_server, exported, imported
from tests.web.rounds.going import going, table
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.results import DIFFERS
from tournaments.engine.documents.verify import verify
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditEntry, Confirmation, Game, Member, Revision, Tournament
from tournaments.queries.sheets import record_digest
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.checks.nights import compare_with_stored, look_at_all, repair
from tournaments.services.games import playing
from tournaments.services.games.playing import confirm_all
from tournaments.services.ratings.computing import rebuild_ratings
from tournaments.services.rounds.running import close_round

pytestmark = pytest.mark.django_db

FINE = {"type": "adjustment", "seat": 1, "points": -50, "to": "none", "reason": "revoke"}


def convert():
    import_module("tournaments.migrations.0048_totals_as_one_entry").convert(apps, None)


def correct(game, position, change, why, by=NOBODY):
    body = {**reload(game).body(position), **change}
    context = ContextFactory(revision=reload(game).row.revision, by=by)
    playing.correct_entry(game.pk, position, parse_entry(body), why, context)


def state():
    rows = Game.objects.order_by("pk").values_list("pk", "result", "digest")
    return list(rows), Tournament.objects.values_list("digest", "event__rounds__digest").get()


@pytest.fixture(params=["turkish-king", "turkish-king-partners", "euchre", "honeymoon-king"])
def evening(request):
    """A closed round: totals, corrected rightly and wrongly, and a game that keeps its lines."""
    rules = RULESETS[request.param]
    club = ClubFactory()
    director = Actor(MemberFactory(club=club, role="director").user)
    round_ = going(club, tables=4, ruleset=request.param, confirmations="two")
    games = [table(round_, number).games.get() for number in (1, 2, 3, 4)]
    totals = totals_of(rules)
    for game in games:
        record_all(game, lines_of(rules, totals))
        confirm_all(game.pk, reload(game).row.revision, NOBODY, at=EVENING)
    close_round(round_.pk, NOBODY, at=timezone.now())
    record_all_by(director, games[1], FINE)
    correct(games[1], 0, {"points": totals[0] + 30}, "misread", director)
    correct(games[1], 0, {"points": totals[0]}, "right before", director)
    correct(games[2], 0, {"points": totals[0] + 6900}, "misread", director)
    correct(games[3], 0, {"points": totals[0] + 1, "reason": "misread"}, "", director)
    rebuild_ratings()
    # What follows a commit.
    repair(list(look_at_all()))
    assert list(look_at_all()) == []
    return rules, games, totals


def record_all_by(actor, game, entry):
    context = ContextFactory(revision=reload(game).row.revision, by=actor)
    playing.record_entry(game.pk, parse_entry(entry), context)


def test_stored_lines_become_versions_of_one_entry_and_nothing_else_changes(evening):
    rules, (plain, corrected, wrong, other), totals = evening
    before, lines, kept = state(), reload(plain).row.revision, reload(other)
    export = json.loads(exported())

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
    assert {c.revision for c in Confirmation.objects.filter(game=plain)} == {1}
    assert {c.revision for c in Confirmation.objects.filter(game=other)} == {lines}
    assert {c.revision for c in Confirmation.objects.filter(game=corrected)} == {1}
    audit = AuditEntry.objects.filter(subject=f"game:{plain.public_id}", action="entry")
    assert [each.after["result"] for each in audit] == ["entered"]
    now = json.loads(exported())
    for document in (export, now):
        checked = verify(document)
        stored = compare_with_stored(document, Tournament.objects.get(), 10**6)
        assert [p for p in (*checked.points, *stored) if p.outcome == DIFFERS] == []
        assert not checked.problems
    convert()
    assert json.loads(exported()) == now


def test_export_of_before_is_taken_in_with_its_totals_as_one_entry(evening):
    text, (games, sealed) = exported(), state()
    convert()
    now = json.loads(exported())
    Member.objects.all().delete()
    empty_server()

    imported(text)

    again, sealed_again = state()
    assert [each[1:] for each in again] == [each[1:] for each in games]
    assert sealed_again == sealed
    sheets = [
        [t["game"]["writes"] for t in r["tables"]]
        for d in (now, json.loads(exported()))
        for r in d["rounds"]
    ]
    assert sheets[0] == sheets[1]


def test_past_results_are_one_entry_too_and_stay_unrated():
    club = ClubFactory(rates_evenings=True)
    take_over(club, asked(past_table()))
    game = Game.objects.get()
    result = game.result
    rules, body = RULESETS["turkish-king"], reload(game).body(0)
    Revision.objects.all().delete()
    Game.objects.update(revision=0, result=None, digest="")
    context = ContextFactory(revision=0, by=Actor(MemberFactory(club=club, role="director").user))
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
