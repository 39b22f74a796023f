from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import (
    EVENING,
    ContextFactory,
    GameFactory,
    ReportFactory,
    SetupFactory,
    log,
    record,
    reload,
)
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game, Report, Revision
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.services.games import playing, writing

pytestmark = pytest.mark.django_db

RIFKI, QUEENS = WHOLE_GAME[:2]
MOST_STATEMENTS = 15


def found(problems):
    return [(str(problem.code), problem.where) for problem in problems]


def test_start_game_stores_the_head_at_revision_0():
    head = SetupFactory(
        players=[" Ayşe ", "Burak", "Cem", "Deniz"],
        first_declarer=2,
        options={"king": "off"},
        title="Cuma",
        place="Moda",
    )

    game = Game.objects.get(pk=playing.start_game(head, at=EVENING).pk)

    assert (game.ruleset, game.options) == ("turkish-king", {"king": "off"})
    assert (game.players, game.first_declarer) == (list(NAMES), 2)
    assert (game.title, game.place, game.played_at) == ("Cuma", "Moda", EVENING)
    assert (game.revision, game.revisions.count()) == (0, 0)


def test_start_game_refuses_a_head_with_every_problem_and_stores_nothing():
    head = SetupFactory(
        players=["Ayşe", "Ayşe", "Cem", ""], first_declarer=4, options={"king": "sometimes"}
    )

    with pytest.raises(InvalidEntry) as refused:
        playing.start_game(head, at=EVENING)

    assert found(refused.value.problems) == [
        ("wrong-players", "players"),
        ("bad-seat", "first_declarer"),
        ("unknown-option", "options.king"),
    ]
    assert Game.objects.count() == 0


def test_start_game_twice_with_one_key_opens_one_table():
    first = playing.start_game(SetupFactory(), at=EVENING, key="start-key-1")
    second = playing.start_game(SetupFactory(), at=EVENING, key="start-key-1")

    assert (first.pk, Game.objects.count()) == (second.pk, 1)
    assert "start-key-1" not in first.start_key


def test_start_game_with_the_key_of_another_head_opens_another_table():
    """A stolen key must not open a table of other players."""
    first = playing.start_game(SetupFactory(), at=EVENING, key="start-key-1")
    second = playing.start_game(SetupFactory(first_declarer=1), at=EVENING, key="start-key-1")

    assert first.pk != second.pk


def test_record_entry_gives_the_sheet_it_stored():
    game = GameFactory()

    given = playing.record_entry(
        game.pk, parse_entry(RIFKI), ContextFactory(revision=0, author="Cem")
    )

    assert given.game == reload(game).game
    assert (given.row.revision, given.record) == (1, reload(game).record)
    assert log(game) == [(1, "entry", 0, RIFKI, "Cem", "")]
    assert Revision.objects.get().at == EVENING


def test_record_entry_refuses_with_every_problem_and_stores_nothing():
    game = GameFactory(entries=[RIFKI])
    wrong = {**deal("heart-king", 0, 2, 0, -1), "declarer": 3}

    with pytest.raises(InvalidEntry) as refused:
        playing.record_entry(game.pk, parse_entry(wrong), ContextFactory(revision=1))

    assert sorted(found(refused.value.problems)) == [
        ("count-too-large", "counts.heart_king"),
        ("negative-count", "counts.heart_king"),
        ("wrong-declarer", "declarer"),
    ]
    assert (reload(game).row.revision, len(log(game))) == (1, 1)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (
            {"reason": "revoke", "points": "-200/2", "seat": 2, "type": "adjustment"},
            {"type": "adjustment", "seat": 2, "points": -100, "to": "none", "reason": "revoke"},
        ),
        (
            {"type": "adjustment", "seat": 2, "points": "9/6", "to": "others", "reason": "revoke"},
            {"type": "adjustment", "seat": 2, "points": "3/2", "to": "others", "reason": "revoke"},
        ),
        (
            {"counts": {"heart_king": [0, 0, 1, 0]}, "contract": "heart-king", "type": "deal"},
            RIFKI,
        ),
    ],
)
def test_entry_is_stored_in_one_form_however_it_was_sent(sent, stored):
    game = GameFactory()

    record(game, sent)
    playing.correct_entry(game.pk, 0, parse_entry(sent), "the same", ContextFactory(revision=1))

    assert [body for _, _, _, body, _, _ in log(game)] == [stored]


def test_record_entry_after_a_withdrawal_takes_a_new_position():
    """A position names one entry for ever, so that old versions never mix with another deal's."""
    game = GameFactory(entries=[RIFKI, QUEENS])
    playing.withdraw_entry(game.pk, 1, "not played", ContextFactory(revision=2))

    record(game, QUEENS)

    assert reload(game).positions == (0, 2)


def test_correct_entry_folds_the_game_again_and_keeps_the_old_version():
    game = GameFactory(entries=[RIFKI, QUEENS])
    better = deal("heart-king", 0, 0, 0, 1)
    later = EVENING.replace(hour=21)
    context = ContextFactory(revision=2, author="Deniz", at=later)

    sheet = playing.correct_entry(game.pk, 0, parse_entry(better), "wrong seat", context)

    assert sheet.game.totals == (-100, 0, -200, -420)
    assert log(game) == [
        (1, "entry", 0, RIFKI, "Ayşe", ""),
        (2, "entry", 1, QUEENS, "Ayşe", ""),
        (3, "correction", 0, better, "Deniz", "wrong seat"),
    ]
    assert [(write.at, write.author) for write in reload(game).versions(0)] == [
        (EVENING, "Ayşe"),
        (later, "Deniz"),
    ]


@pytest.mark.parametrize(
    ("change", "position", "problem"),
    [
        (
            lambda pk, pen: playing.correct_entry(
                pk, 0, parse_entry(deal("no-queens", 0, 4, 0, 0)), "", pen
            ),
            3,
            ("contract-used-up", "contract"),
        ),
        (
            lambda pk, pen: playing.withdraw_entry(pk, 0, "", pen),
            1,
            ("wrong-declarer", "declarer"),
        ),
        (
            lambda pk, pen: playing.change_head(pk, SetupFactory(first_declarer=2), pen),
            1,
            ("wrong-declarer", "declarer"),
        ),
    ],
    ids=["correct", "withdraw", "head"],
)
def test_change_refused_by_a_later_entry_gives_that_entry_and_its_reasons(
    change, position, problem
):
    stated = {**QUEENS, "declarer": 1}
    game = GameFactory(
        entries=[RIFKI, stated, deal("heart-king", 1, 0, 0, 0), deal("no-queens", 4, 0, 0, 0)]
    )

    with pytest.raises(LaterEntryInvalid) as refused:
        change(game.pk, ContextFactory(revision=4))

    assert (refused.value.position, found(refused.value.problems)) == (position, [problem])
    sheet = reload(game)
    assert (sheet.row.revision, sheet.row.first_declarer, len(log(game))) == (4, 0, 4)


@pytest.mark.parametrize("position", [1, 2, -1, 70000])
def test_correct_entry_where_nothing_stands_says_so(position):
    game = GameFactory(entries=[RIFKI, QUEENS])
    playing.withdraw_entry(game.pk, 1, "", ContextFactory(revision=2))

    with pytest.raises(writing.NoSuchEntry):
        playing.correct_entry(
            game.pk, position, parse_entry(QUEENS), "", ContextFactory(revision=3)
        )
    with pytest.raises(writing.NoSuchEntry):
        playing.withdraw_entry(game.pk, position, "", ContextFactory(revision=3))

    assert len(log(game)) == 3


def test_write_never_fails_for_what_is_said_about_it():
    """A remark is shown and nothing else; PostgreSQL refuses a NUL, and what is too long."""
    game = GameFactory(entries=[RIFKI])
    context = ContextFactory(revision=1, author="Ayşe\0" + "y" * 100)

    right = deal("heart-king", 1, 0, 0, 0)
    playing.correct_entry(game.pk, 0, parse_entry(right), "wrong\0" + "z" * 300, context)
    again = playing.correct_entry(game.pk, 0, parse_entry(right), "wrong\0" + "z" * 300, context)

    _, _, _, _, author, reason = log(game)[1]
    assert (author, reason) == ("Ayşe " + "y" * 75, "wrong " + "z" * 194)
    assert again.row.revision == 2


def test_withdraw_entry_takes_it_off_the_sheet_and_keeps_it_in_the_log():
    game = GameFactory(entries=[RIFKI, QUEENS])

    sheet = playing.withdraw_entry(
        game.pk, 1, "not played", ContextFactory(revision=2, author="Cem")
    )

    assert (sheet.positions, sheet.game.totals) == ((0,), (0, 0, -320, 0))
    assert sheet.body(1) is None
    assert log(game)[1:] == [
        (2, "entry", 1, QUEENS, "Ayşe", ""),
        (3, "withdrawal", 1, None, "Cem", "not played"),
    ]


def test_change_head_folds_the_game_again_and_is_logged():
    game = GameFactory(entries=[RIFKI, QUEENS])
    names = ["Ayşe", "Burak", "Cem", "Didem"]
    head = SetupFactory(players=names, first_declarer=2, title="Cuma", place="Moda")

    sheet = playing.change_head(game.pk, head, ContextFactory(revision=2, author="Cem"))

    game.refresh_from_db()
    assert (game.players, game.first_declarer, game.revision) == (names, 2, 3)
    assert (game.title, game.place) == ("Cuma", "Moda")
    assert [played.declarer for played in sheet.game.deals] == [2, 3]
    revision, kind, position, body, author, _ = log(game)[2]
    assert (revision, kind, position, author) == (3, "head", None, "Cem")
    assert (body["players"], body["first_declarer"]) == (names, 2)


def test_change_head_keeps_the_head_before_it():
    game = GameFactory()

    playing.change_head(game.pk, SetupFactory(first_declarer=2, title="Cuma"), ContextFactory())
    playing.change_head(game.pk, SetupFactory(first_declarer=3), ContextFactory(revision=1))

    before = [write.before for write in game.revisions.order_by("revision")]
    assert [(head["first_declarer"], head["title"]) for head in before] == [(0, ""), (2, "Cuma")]


def test_change_head_refuses_a_head_that_cannot_be():
    game = GameFactory()

    with pytest.raises(InvalidEntry) as refused:
        playing.change_head(game.pk, SetupFactory(players=["Ayşe"]), ContextFactory(revision=0))

    assert found(refused.value.problems) == [("wrong-players", "players")]
    assert log(game) == []


def test_change_head_never_changes_the_ruleset_and_is_not_written_without_a_change():
    game = GameFactory()

    playing.change_head(game.pk, SetupFactory(ruleset="rifki"), ContextFactory(revision=0))

    assert (reload(game).game.ruleset.id, log(game)) == ("turkish-king", [])


def test_hand_over_to_two_phones_gives_the_pen_to_the_first_once():
    game = GameFactory(entries=[RIFKI])
    for _tap in range(2):
        taken = playing.hand_over(game.pk, 1, "other-phone", at=EVENING)

    with pytest.raises(playing.ScoringTaken):
        playing.hand_over(game.pk, 1, "third-phone", at=EVENING)

    game.refresh_from_db()
    assert (game.write_generation, game.revision) == (2, 1)
    assert "other-phone" not in game.taken_with
    assert taken.secret("follow") == game.secret("follow")
    assert Game.objects.taken_with(game.public_id, "other-phone").get() == game
    assert not Game.objects.taken_with(game.public_id, "third-phone").exists()


def test_delete_game_takes_everything_of_it_and_nothing_else():
    game, other = GameFactory(entries=[RIFKI]), GameFactory(entries=[RIFKI])
    ReportFactory(game=game)
    kept = ReportFactory(game=other)

    for _tap in range(2):
        playing.delete_game(game.pk)

    assert list(Game.objects.all()) == [other]
    assert [write.game_id for write in Revision.objects.all()] == [other.pk]
    assert list(Report.objects.all()) == [kept]


def test_delete_game_takes_its_documents_off_the_disk(django_capture_on_commit_callbacks):
    game = GameFactory()
    report = ReportFactory(game=game)
    report.file.save("sheet.pdf", ContentFile(b"names of people"))
    path = Path(report.file.path)
    assert path.exists()

    with django_capture_on_commit_callbacks(execute=True):
        playing.delete_game(game.pk)

    assert not path.exists()


# How much it costs.

FINE = {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}


@pytest.mark.parametrize(
    "write",
    [
        lambda game, context: playing.record_entry(game.pk, parse_entry(FINE), context),
        lambda game, context: playing.correct_entry(
            game.pk, 0, parse_entry(WHOLE_GAME[0]), "", context
        ),
        lambda game, context: playing.withdraw_entry(game.pk, len(game.entries) - 1, "", context),
        lambda game, context: playing.change_head(game.pk, SetupFactory(title="Cuma"), context),
        lambda game, context: playing.hand_over(game.pk, 1, "other-phone", at=EVENING),
    ],
    ids=["record", "correct", "withdraw", "head", "hand-over"],
)
def test_write_takes_few_statements_however_long_the_sheet(write):
    taken = []
    for length in (1, 20):
        game = GameFactory(entries=WHOLE_GAME[:length])
        game.entries = WHOLE_GAME[:length]
        context = ContextFactory(revision=length)
        with CaptureQueriesContext(connection) as queries:
            write(game, context)
        taken.append(len(queries))

    assert taken[0] == taken[1]
    assert taken[0] <= MOST_STATEMENTS
