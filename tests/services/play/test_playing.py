"""Each thing a person can do with a sheet, through the door of its service."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import (
    EVENING,
    GameFactory,
    HeadFactory,
    PenFactory,
    ReportFactory,
    record,
    reload,
)
from tournaments.engine.problems import InvalidEntry
from tournaments.models import Game, Report, Write
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.services.play import playing, writing

pytestmark = pytest.mark.django_db

RIFKI, QUEENS = WHOLE_GAME[:2]
MOST_STATEMENTS = 15


def found(problems):
    return [(str(problem.code), problem.where) for problem in problems]


def log(game):
    """What the log holds of a game, row by row."""
    rows = Write.objects.filter(game_id=game.pk).order_by("revision")
    return [(w.revision, str(w.kind), w.position, w.body, w.author, w.reason) for w in rows]


# Starting a game.


def test_start_game_stores_the_head_at_revision_0():
    head = HeadFactory(
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
    assert (game.revision, game.writes.count()) == (0, 0)


def test_start_game_refuses_a_head_with_every_problem_and_stores_nothing():
    head = HeadFactory(
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


def test_start_game_refuses_an_unknown_ruleset():
    with pytest.raises(InvalidEntry) as refused:
        playing.start_game(HeadFactory(ruleset="poker"), at=EVENING)

    assert found(refused.value.problems) == [("unknown-ruleset", "ruleset")]


def test_start_game_twice_with_one_key_opens_one_table():
    first = playing.start_game(HeadFactory(), at=EVENING, key="start-key-1")
    second = playing.start_game(HeadFactory(), at=EVENING, key="start-key-1")

    assert (first.pk, Game.objects.count()) == (second.pk, 1)


def test_start_game_with_the_key_of_another_head_opens_another_table():
    """Whoever learns a key must not be shown a table of other players by it."""
    first = playing.start_game(HeadFactory(), at=EVENING, key="start-key-1")
    second = playing.start_game(HeadFactory(first_declarer=1), at=EVENING, key="start-key-1")

    assert first.pk != second.pk


def test_start_game_without_key_opens_a_table_each_time():
    playing.start_game(HeadFactory(), at=EVENING)
    playing.start_game(HeadFactory(), at=EVENING)

    assert Game.objects.count() == 2


def test_start_game_keeps_no_start_key_in_clear():
    game = playing.start_game(HeadFactory(), at=EVENING, key="start-key-1")

    assert "start-key-1" not in game.start_key


# Recording.


def test_record_entry_plays_the_whole_game_of_the_rules():
    game = GameFactory(entries=WHOLE_GAME)

    sheet = reload(game)

    assert sheet.game.totals == (540, -110, -330, -100)
    assert (sheet.game.finished, sheet.row.revision) == (True, 20)
    assert sheet.positions == tuple(range(20))


def test_record_entry_gives_the_sheet_it_stored():
    game = GameFactory()

    given = playing.record_entry(game.pk, RIFKI, PenFactory(revision=0, author="Cem"))

    assert given.game == reload(game).game
    assert (given.row.revision, given.record) == (1, reload(game).record)
    assert log(game) == [(1, "entry", 0, RIFKI, "Cem", "")]
    assert Write.objects.get().at == EVENING


def test_record_entry_refuses_with_every_problem_and_stores_nothing():
    game = GameFactory(entries=[RIFKI])
    wrong = {**deal("heart-king", 0, 2, 0, -1), "declarer": 3}

    with pytest.raises(InvalidEntry) as refused:
        playing.record_entry(game.pk, wrong, PenFactory(revision=1))

    assert sorted(found(refused.value.problems)) == [
        ("count-too-large", "counts.heart_king"),
        ("negative-count", "counts.heart_king"),
        ("wrong-declarer", "declarer"),
    ]
    assert (reload(game).row.revision, len(log(game))) == (1, 1)


@pytest.mark.parametrize(
    "body",
    [{}, {"type": "deal"}, {"type": "poem"}, {**RIFKI, "counts": [0, 0, 1, 0]}, {**RIFKI, "x": 1}],
)
def test_record_entry_refuses_what_cannot_be_read(body):
    game = GameFactory()

    with pytest.raises(InvalidEntry):
        playing.record_entry(game.pk, body, PenFactory(revision=0))

    assert log(game) == []


def test_record_entry_of_a_deleted_game_says_so():
    game = GameFactory()
    playing.delete_game(game.pk)

    with pytest.raises(Game.DoesNotExist):
        playing.record_entry(game.pk, RIFKI, PenFactory(revision=0))


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
def test_record_entry_stores_one_form_however_it_was_sent(sent, stored):
    game = GameFactory()

    record(game, sent)

    assert [body for _, _, _, body, _, _ in log(game)] == [stored]


def test_record_entry_after_a_withdrawal_takes_a_new_position():
    """A position names one entry for ever, so that old versions never mix with another deal's."""
    game = GameFactory(entries=[RIFKI, QUEENS])
    playing.withdraw_entry(game.pk, 1, "not played", PenFactory(revision=2))

    record(game, QUEENS)

    assert reload(game).positions == (0, 2)


# Corrections.


def test_correct_entry_folds_the_game_again_and_keeps_the_old_version():
    game = GameFactory(entries=[RIFKI, QUEENS])
    better = deal("heart-king", 0, 0, 0, 1)
    later = EVENING.replace(hour=21)
    pen = PenFactory(revision=2, author="Deniz", at=later)

    sheet = playing.correct_entry(game.pk, 0, better, "wrong seat", pen)

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


def test_correct_entry_refused_by_a_later_entry_gives_that_entry_and_its_reasons():
    game = GameFactory(
        entries=[RIFKI, QUEENS, deal("heart-king", 1, 0, 0, 0), deal("no-queens", 4, 0, 0, 0)]
    )

    with pytest.raises(LaterEntryInvalid) as refused:
        playing.correct_entry(game.pk, 0, deal("no-queens", 0, 4, 0, 0), "", PenFactory(revision=4))

    assert refused.value.position == 3
    assert found(refused.value.problems) == [("contract-used-up", "contract")]
    assert (reload(game).row.revision, len(log(game))) == (4, 4)
    assert reload(game).body(0) == RIFKI


def test_correct_entry_that_cannot_be_itself_gives_its_own_position():
    game = GameFactory(entries=[RIFKI, QUEENS])

    with pytest.raises(LaterEntryInvalid) as refused:
        playing.correct_entry(
            game.pk, 0, deal("heart-king", 0, 0, 1, 1), "", PenFactory(revision=2)
        )

    assert refused.value.position == 0
    assert found(refused.value.problems) == [("wrong-total", "counts.heart_king")]


def test_correct_entry_to_a_king_is_refused_while_deals_follow():
    game = GameFactory(entries=WHOLE_GAME[:6])

    with pytest.raises(LaterEntryInvalid) as refused:
        playing.correct_entry(game.pk, 3, deal("trump", 13, 0, 0, 0), "", PenFactory(revision=6))

    assert refused.value.position == 4
    assert found(refused.value.problems) == [("game-over", "")]


def test_correct_entry_completes_an_open_deal():
    game = GameFactory(entries=[{"type": "deal", "contract": "heart-king"}])
    assert reload(game).game.open_deal is not None

    sheet = playing.correct_entry(game.pk, 0, RIFKI, "", PenFactory(revision=1))

    assert (sheet.game.open_deal, sheet.game.totals) == (None, (0, 0, -320, 0))


@pytest.mark.parametrize("position", [1, 2, -1, 70000])
def test_correct_entry_where_nothing_stands_says_so(position):
    game = GameFactory(entries=[RIFKI, QUEENS])
    playing.withdraw_entry(game.pk, 1, "", PenFactory(revision=2))

    with pytest.raises(writing.NoSuchEntry):
        playing.correct_entry(game.pk, position, QUEENS, "", PenFactory(revision=3))
    with pytest.raises(writing.NoSuchEntry):
        playing.withdraw_entry(game.pk, position, "", PenFactory(revision=3))

    assert len(log(game)) == 3


def test_correct_entry_stores_the_one_form():
    game = GameFactory(entries=[RIFKI])
    sent = {"reason": "revoke", "points": "-200/2", "seat": 2, "type": "adjustment"}

    playing.correct_entry(game.pk, 0, sent, "", PenFactory(revision=1))

    assert reload(game).body(0) == {
        "type": "adjustment",
        "seat": 2,
        "points": -100,
        "to": "none",
        "reason": "revoke",
    }


def test_correction_that_changes_nothing_is_not_written():
    game = GameFactory(entries=[RIFKI])

    sheet = playing.correct_entry(game.pk, 0, RIFKI, "looked twice", PenFactory(revision=1))

    assert (sheet.row.revision, len(log(game))) == (1, 1)


def test_write_never_fails_for_what_is_said_about_it():
    """A remark is shown and nothing else; PostgreSQL refuses a NUL, and what is too long."""
    game = GameFactory(entries=[RIFKI])
    pen = PenFactory(revision=1, author="Ayşe\0" + "y" * 100)

    right = deal("heart-king", 1, 0, 0, 0)
    playing.correct_entry(game.pk, 0, right, "wrong\0" + "z" * 300, pen)
    again = playing.correct_entry(game.pk, 0, right, "wrong\0" + "z" * 300, pen)

    _, _, _, _, author, reason = log(game)[1]
    assert (author, reason) == ("Ayşe" + "y" * 76, "wrong" + "z" * 195)
    assert again.row.revision == 2


# Withdrawals.


def test_withdraw_entry_takes_it_off_the_sheet_and_keeps_it_in_the_log():
    game = GameFactory(entries=[RIFKI, QUEENS])

    sheet = playing.withdraw_entry(game.pk, 1, "not played", PenFactory(revision=2, author="Cem"))

    assert (sheet.positions, sheet.game.totals) == ((0,), (0, 0, -320, 0))
    assert sheet.body(1) is None
    assert log(game)[1:] == [
        (2, "entry", 1, QUEENS, "Ayşe", ""),
        (3, "withdrawal", 1, None, "Cem", "not played"),
    ]


def test_withdraw_entry_refused_by_a_later_entry_gives_its_reasons():
    stated = {**QUEENS, "declarer": 1}
    game = GameFactory(entries=[RIFKI, stated])

    with pytest.raises(LaterEntryInvalid) as refused:
        playing.withdraw_entry(game.pk, 0, "", PenFactory(revision=2))

    assert refused.value.position == 1
    assert found(refused.value.problems) == [("wrong-declarer", "declarer")]
    assert reload(game).positions == (0, 1)


def test_withdraw_entry_of_the_end_opens_the_game_again():
    game = GameFactory(entries=[*WHOLE_GAME[:3], {"type": "stopped", "reason": "time"}])
    assert reload(game).game.finished

    sheet = playing.withdraw_entry(game.pk, 3, "", PenFactory(revision=4))

    assert (sheet.game.finished, sheet.game.declarer) == (False, 3)


# The head.


def test_change_head_folds_the_game_again_and_is_logged():
    game = GameFactory(entries=[RIFKI, QUEENS])
    names = ["Ayşe", "Burak", "Cem", "Didem"]
    head = HeadFactory(players=names, first_declarer=2, title="Cuma", place="Moda")

    sheet = playing.change_head(game.pk, head, PenFactory(revision=2, author="Cem"))

    game.refresh_from_db()
    assert (game.players, game.first_declarer, game.revision) == (names, 2, 3)
    assert (game.title, game.place) == ("Cuma", "Moda")
    assert [played.declarer for played in sheet.game.deals] == [2, 3]
    revision, kind, position, body, author, _ = log(game)[2]
    assert (revision, kind, position, author) == (3, "head", None, "Cem")
    assert (body["players"], body["first_declarer"]) == (names, 2)


def test_change_head_keeps_the_head_before_it():
    game = GameFactory()

    playing.change_head(game.pk, HeadFactory(first_declarer=2, title="Cuma"), PenFactory())
    playing.change_head(game.pk, HeadFactory(first_declarer=3), PenFactory(revision=1))

    before = [write.before for write in game.writes.order_by("revision")]
    assert [(head["first_declarer"], head["title"]) for head in before] == [(0, ""), (2, "Cuma")]


def test_change_head_to_what_it_was_is_not_written():
    game = GameFactory()
    playing.change_head(game.pk, HeadFactory(), PenFactory())
    assert log(game) == []


def test_change_head_refused_by_an_entry_gives_its_reasons_and_changes_nothing():
    stated = {**RIFKI, "declarer": 0}
    game = GameFactory(entries=[stated])

    with pytest.raises(LaterEntryInvalid) as refused:
        playing.change_head(game.pk, HeadFactory(first_declarer=2), PenFactory(revision=1))

    assert refused.value.position == 0
    assert found(refused.value.problems) == [("wrong-declarer", "declarer")]
    game.refresh_from_db()
    assert (game.first_declarer, game.revision, len(log(game))) == (0, 1, 1)


def test_change_head_of_options_is_refused_where_a_king_was_made_under_them():
    game = GameFactory(entries=[{**RIFKI, "king": 2}])

    with pytest.raises(LaterEntryInvalid) as refused:
        playing.change_head(game.pk, HeadFactory(options={"king": "off"}), PenFactory(revision=1))

    assert found(refused.value.problems) == [("unexpected-field", "king")]


def test_change_head_refuses_a_head_that_cannot_be():
    game = GameFactory()

    with pytest.raises(InvalidEntry) as refused:
        playing.change_head(game.pk, HeadFactory(players=["Ayşe"]), PenFactory(revision=0))

    assert found(refused.value.problems) == [("wrong-players", "players")]
    assert log(game) == []


def test_change_head_never_changes_the_ruleset():
    game = GameFactory()

    playing.change_head(game.pk, HeadFactory(ruleset="rifki"), PenFactory(revision=0))

    assert reload(game).game.ruleset.id == "turkish-king"


def test_change_head_never_takes_options_of_another_ruleset():
    game = GameFactory(head=HeadFactory(ruleset="rifki"))

    with pytest.raises(InvalidEntry) as refused:
        playing.change_head(game.pk, HeadFactory(options={"king": "off"}), PenFactory(revision=0))

    assert found(refused.value.problems) == [("unknown-option", "options.king")]
    assert log(game) == []


# Handing over and deleting.


def test_hand_over_revokes_the_address_it_was_pressed_from():
    game = GameFactory()
    mine = game.secret("write")

    taken = playing.hand_over(game.pk, 1, "other-phone", at=EVENING)

    assert not Game.objects.writable_at(game.public_id, mine).exists()
    assert Game.objects.writable_at(game.public_id, taken.secret("write")).get() == game


def test_hand_over_asked_twice_gives_the_pen_once():
    game = GameFactory()

    first = playing.hand_over(game.pk, 1, "other-phone", at=EVENING)
    second = playing.hand_over(game.pk, 1, "other-phone", at=EVENING)

    assert (first.write_generation, second.write_generation) == (2, 2)


def test_hand_over_to_two_phones_gives_the_pen_to_the_first():
    game = GameFactory()
    playing.hand_over(game.pk, 1, "other-phone", at=EVENING)

    with pytest.raises(playing.PenTaken):
        playing.hand_over(game.pk, 1, "third-phone", at=EVENING)

    game.refresh_from_db()
    assert game.write_generation == 2
    assert Game.objects.taken_with(game.public_id, "other-phone").get() == game
    assert not Game.objects.taken_with(game.public_id, "third-phone").exists()


def test_hand_over_keeps_no_key_in_clear():
    game = playing.hand_over(GameFactory().pk, 1, "other-phone", at=EVENING)

    assert "other-phone" not in game.taken_with


def test_hand_over_leaves_the_sheet_and_its_followers_alone():
    game = GameFactory(entries=[RIFKI])

    taken = playing.hand_over(game.pk, 1, "other-phone", at=EVENING)

    assert taken.secret("follow") == game.secret("follow")
    assert (taken.revision, len(log(game))) == (1, 1)


def test_delete_game_takes_everything_of_it_and_nothing_else():
    game, other = GameFactory(entries=[RIFKI]), GameFactory(entries=[RIFKI])
    ReportFactory(game=game)
    kept = ReportFactory(game=other)

    playing.delete_game(game.pk)

    assert list(Game.objects.all()) == [other]
    assert [write.game_id for write in Write.objects.all()] == [other.pk]
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


def test_delete_game_twice_is_no_error():
    game = GameFactory()
    playing.delete_game(game.pk)

    playing.delete_game(game.pk)

    assert Game.objects.count() == 0


# How much it costs.

FINE = {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}


@pytest.mark.parametrize(
    "write",
    [
        lambda game, pen: playing.record_entry(game.pk, FINE, pen),
        lambda game, pen: playing.correct_entry(game.pk, 0, WHOLE_GAME[0], "", pen),
        lambda game, pen: playing.withdraw_entry(game.pk, len(game.entries) - 1, "", pen),
        lambda game, pen: playing.change_head(game.pk, HeadFactory(title="Cuma"), pen),
        lambda game, pen: playing.hand_over(game.pk, 1, "other-phone", at=EVENING),
    ],
    ids=["record", "correct", "withdraw", "head", "hand-over"],
)
def test_write_takes_few_statements_however_long_the_sheet(write):
    taken = []
    for length in (1, 20):
        game = GameFactory(entries=WHOLE_GAME[:length])
        game.entries = WHOLE_GAME[:length]
        pen = PenFactory(revision=length)
        with CaptureQueriesContext(connection) as queries:
            write(game, pen)
        taken.append(len(queries))

    assert taken[0] == taken[1]
    assert taken[0] <= MOST_STATEMENTS
