"""Several at one sheet or table at the same moment, on connections of their own.

What holds them apart are the locks of the round, the table and the game, and on SQLite the
immediate transaction: without them each test fails.
"""

import pytest
from django.db import transaction

from tests.club_factories import (
    AuditEntryFactory,
    ClubFactory,
    PlayerFactory,
    RoundFactory,
    TableFactory,
)
from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import TURKISH_KING, write
from tests.factories import (
    EVENING,
    ContextFactory,
    GameFactory,
    GamePhotoFactory,
    SetupFactory,
    record,
    reload,
)
from tests.match_builders import KEY, TWO, krapet, next_game, won_by
from tests.together import at_once, while_another_is_writing
from tournaments import models
from tournaments.engine.documents.entries import parse_entry
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.events import events
from tournaments.services.games import playing, tables
from tournaments.services.games.photos import add_photo, confirm_photo
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.seating import begin_transfer, take_transfer
from tournaments.services.games.tables import Laying
from tournaments.services.people.changes import rename_player
from tournaments.services.people.merging import merge_players

pytestmark = pytest.mark.django_db(transaction=True)

RIFKI, QUEENS, _ = WHOLE_GAME[:3]


@pytest.mark.parametrize(
    ("other_key", "answer"), [("other-key-000001", "StaleRevision"), ("phone-key-000001", 1)]
)
def test_second_write_waits_for_the_first_and_is_stale_unless_its_key_is_the_same(
    other_key, answer
):
    game = GameFactory()
    one, other = (ContextFactory(revision=0, key=key) for key in ("phone-key-000001", other_key))

    assert while_another_is_writing(
        lambda: playing.record_entry(game.pk, parse_entry(RIFKI), one),
        lambda: playing.record_entry(game.pk, parse_entry(RIFKI), other),
    ) == (1, answer, True)
    assert [write.key for write in reload(game).revisions] == [one.key]


@pytest.mark.parametrize(
    ("other_key", "answer"), [("other-key-000001", "StaleRevision"), ("phone-key-000001", 2)]
)
def test_totals_from_paper_that_two_correct_at_once_are_corrected_once(other_key, answer):
    game, read = GameFactory(), (90, -60, -20, -10)
    playing.record_totals(game.pk, (100, -60, -20, -20), ContextFactory())
    one, other = (ContextFactory(revision=1, key=key) for key in ("phone-key-000001", other_key))

    assert while_another_is_writing(
        lambda: playing.record_totals(game.pk, read, one, reason="misread"),
        lambda: playing.record_totals(game.pk, read, other, reason="misread"),
    ) == (2, answer, True)
    assert [write.kind for write in reload(game).revisions] == ["entry", "correction"]


@pytest.mark.parametrize(("read", "answer"), [((RIFKI, QUEENS), 2), ((RIFKI,), "PhotoOutdated")])
def test_photo_that_two_confirm_at_once_is_saved_once(read, answer):
    photo = GamePhotoFactory()
    one, other = (ContextFactory(revision=0) for _ in range(2))

    def confirm(deals, context):
        return confirm_photo(photo, [*map(parse_entry, deals)], [None] * 4, context)

    assert while_another_is_writing(
        lambda: confirm((RIFKI, QUEENS), one), lambda: confirm(read, other)
    ) == (2, answer, True)
    assert len(reload(photo.game).revisions) == 2


def test_photo_that_is_replaced_while_it_is_confirmed_is_refused():
    photo = GamePhotoFactory()

    assert while_another_is_writing(
        lambda: confirm_photo(photo, [parse_entry(RIFKI)], [None] * 4, ContextFactory(revision=0)),
        lambda: add_photo(photo.game_id, [b""], NOBODY, at=EVENING),
    ) == (1, "PhotoOutdated", True)


def test_pen_taken_during_a_write_stays_taken():
    game = GameFactory()

    def take():
        playing.hand_over(game.pk, 1, "other-phone", at=EVENING)
        return reload(game)

    assert while_another_is_writing(
        lambda: playing.record_entry(game.pk, parse_entry(RIFKI), ContextFactory(revision=0)), take
    ) == (1, 1, True)
    game.refresh_from_db()
    assert (game.revision, game.write_generation) == (1, 2)


def test_deletion_waits_for_a_write_and_takes_it_along():
    game = GameFactory(entries=[RIFKI])

    def delete():
        playing.delete_game(game.pk)
        return GameFactory()

    assert while_another_is_writing(
        lambda: playing.record_entry(game.pk, parse_entry(QUEENS), ContextFactory(revision=1)),
        lambda: reload(delete()),
    ) == (2, 0, True)
    assert not models.Game.objects.filter(pk=game.pk).exists()


def test_write_waits_for_a_deletion_and_finds_no_game():
    game = GameFactory(entries=[RIFKI])

    def delete():
        playing.delete_game(game.pk)
        return reload(GameFactory())

    assert while_another_is_writing(
        delete,
        lambda: playing.record_entry(game.pk, parse_entry(QUEENS), ContextFactory(revision=1)),
    ) == (0, "DoesNotExist", True)


OTHERS = ("Elif", "Fatma", "Gül", "Ayşe")


def close(table):
    return lambda: bool(events.close_round(table.round_id, NOBODY, at=EVENING).closed_at)


def test_round_waits_for_a_write_under_way_before_it_is_closed():
    table = TableFactory()

    assert while_another_is_writing(write(table), close(table)) == (1, True, True)
    assert list(models.AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "entry",
        "close-round",
    ]


def test_write_that_waited_for_a_round_to_close_is_refused():
    table = TableFactory()

    assert while_another_is_writing(close(table), write(table)) == (True, "RoundClosed", True)
    assert models.Revision.objects.count() == 0


def test_next_game_that_waited_for_a_round_to_close_is_refused():
    table = TableFactory()
    models.Game.objects.all().delete()
    game = tables.start_match(GameSetup("krapet", TWO), "best-of", 3, at=EVENING)
    playing.record_entry(game.pk, parse_entry(won_by(0)), ContextFactory())
    models.Game.objects.update(table=table)

    def begin():
        by = Actor(table=table.public_id)
        return tables.start_next_game(game.pk, at=EVENING, key="next-key", reason="", by=by)

    assert while_another_is_writing(close(table), begin) == (True, "RoundClosed", True)
    assert models.Game.objects.count() == 1


def test_next_game_has_the_name_that_a_player_is_given_meanwhile():
    round_ = RoundFactory()
    laying = Laying(GameSetup("krapet", ()), TWO, ("best-of", 3))
    game = tables.add_table(round_.pk, laying, NOBODY, at=EVENING).games.get()
    playing.record_entry(game.pk, parse_entry(won_by(0)), ContextFactory())
    burak = models.Player.objects.get(name="Burak")

    def rename():
        return rename_player(burak.pk, "Berk", NOBODY, at=EVENING).name

    def begin():
        return tables.start_next_game(game.pk, at=EVENING, key="next-key", reason="")[1]

    assert while_another_is_writing(begin, rename) == (True, "Berk", True)
    heads = models.Game.objects.order_by("pk").values_list("players", flat=True)
    assert list(heads) == [["Ayşe", "Berk"]] * 2


def lay(round_, who):
    laying = Laying(TURKISH_KING, who)
    return lambda: tables.add_table(round_.pk, laying, NOBODY, at=EVENING).number


def test_player_is_seated_once_by_two_who_lay_tables_at_once():
    round_ = RoundFactory()

    assert while_another_is_writing(lay(round_, NAMES), lay(round_, OTHERS)) == (
        1,
        "SitsElsewhere",
        True,
    )
    assert (
        models.Table.objects.count(),
        models.Seat.objects.count(),
        models.Player.objects.count(),
    ) == (1, 4, 4)


def test_table_is_not_laid_in_a_round_that_closes_meanwhile():
    table = TableFactory()

    assert while_another_is_writing(
        close(table), lay(table.round, ("Elif", "Fatma", "Gül", "Hakan"))
    ) == (True, "NoMoreTables", True)
    assert models.Table.objects.count() == 1


def test_next_round_is_opened_once_by_two_at_once():
    table = TableFactory(round__number=1)
    event = table.round.event_id

    def open_next():
        return events.open_round(event, NOBODY, at=EVENING).number

    assert sorted(map(str, at_once(open_next, open_next))) == ["2", "RoundStillEmpty"]


def test_guesses_at_once_are_all_counted():
    table = TableFactory()
    codes = [f"{n:04}" for n in range(20) if f"{n:04}" != table.code][:16]

    def guess(code):
        return lambda: tables.enter_table(table.pk, 1, code, NOBODY, at=EVENING)

    answers = at_once(*map(guess, codes))

    assert sorted(answers) == ["AccessLinkClosed"] * (16 - MOST_WRONG_CODES + 1) + ["WrongCode"] * (
        MOST_WRONG_CODES - 1
    )
    assert models.Table.objects.get().wrong_codes == MOST_WRONG_CODES


def test_confirmation_waits_for_a_write_and_is_void_then():
    table = TableFactory(entries=WHOLE_GAME)
    game = table.games.get()

    def withdraw():
        return playing.withdraw_entry(game.pk, 19, "", ContextFactory(revision=20))

    def confirm():
        return playing.confirm_result(game.pk, 0, 20, NOBODY, at=EVENING)

    assert while_another_is_writing(withdraw, confirm) == (21, "StaleRevision", True)
    assert models.Confirmation.objects.count() == 0


def test_game_is_adopted_once_by_two_directors_at_once():
    game, places = GameFactory(), [RoundFactory(), RoundFactory()]

    def adopt(round_):
        return lambda: tables.adopt_game(game.pk, round_.pk, NAMES, NOBODY, at=EVENING).number

    assert sorted(map(str, at_once(*map(adopt, places)))) == ["1", "NotOpen"]
    assert models.Table.objects.count() == 1


def test_evening_that_two_owners_begin_at_once_is_one():
    club = ClubFactory()
    players = PlayerFactory.create_batch(8, club=club)

    def begin(name):
        plan = events.EventPlan(name, EVENING.date(), ruleset="rifki")
        return lambda: tables.start_evening(club, plan, players, NOBODY, at=EVENING).name

    assert while_another_is_writing(begin("Rıfkı"), begin("King")) == ("Rıfkı", "Rıfkı", True)
    assert (models.Event.objects.count(), models.Seat.objects.count()) == (1, 8)


def test_round_that_two_directors_seat_at_once_is_seated_once():
    round_ = RoundFactory()
    players = PlayerFactory.create_batch(4, club=round_.event.club)

    def seat():
        tables.seat_round(round_.pk, players, NOBODY, at=EVENING)
        return round_.tables.count()

    assert while_another_is_writing(seat, seat) == (1, 1, True)


def test_season_that_is_being_removed_takes_no_evening():
    season = events.create_season(
        RoundFactory().event.club,
        events.SeasonDates("Kış", EVENING.date(), EVENING.date()),
        NOBODY,
        at=EVENING,
    )
    plan = events.EventPlan("Cuma", EVENING.date(), "turkish-king", season=season)

    assert while_another_is_writing(
        lambda: events.remove_season(season.pk, NOBODY, at=EVENING),
        lambda: events.create_event(season.club, plan, NOBODY, at=EVENING).name,
    ) == (None, "DoesNotExist", True)
    assert models.Season.objects.count() == 0


def test_replaced_address_shuts_out_whoever_takes_the_pen_at_that_moment():
    table = TableFactory()
    game, club = table.games.get(), table.round.event.club

    def take():
        with transaction.atomic():
            row = playing.hand_over(game.pk, 1, "key-of-the-lost-phone", at=EVENING)
            # Where the other one comes in, before this is in the database.
            AuditEntryFactory(club=club)
        return row.write_generation

    def replace():
        return tables.replace_address(table.pk, NOBODY, at=EVENING).generation

    assert while_another_is_writing(take, replace) == (2, 2, True)
    row = models.Game.objects.get()
    assert (row.write_generation, row.taken_with) == (3, "")


@pytest.mark.parametrize("remove", [False, True])
def test_address_is_replaced_and_table_removed_after_a_next_game_under_way(remove):
    # Each needs the row of the table and that of the game: in two orders they would wait for
    # each other.
    laying = Laying(GameSetup("krapet", ()), TWO, ("best-of", 3))
    table = tables.add_table(RoundFactory().pk, laying, NOBODY, at=EVENING)
    game = table.games.get()
    playing.record_entry(game.pk, parse_entry(won_by(0)), ContextFactory())
    act = tables.remove_table if remove else tables.replace_address

    assert while_another_is_writing(
        lambda: tap_next(game, KEY), lambda: act(table.pk, NOBODY, at=EVENING) and None
    ) == (2, None, True)
    written_by = set(models.Game.objects.values_list("write_generation", flat=True))
    assert written_by == (set() if remove else {2})


def test_table_that_is_being_removed_keeps_a_merge_waiting():
    table = TableFactory()
    ayse = models.Player.objects.get(name="Ayşe")
    kept = PlayerFactory(club=ayse.club)

    assert while_another_is_writing(
        lambda: tables.remove_table(table.pk, NOBODY, at=EVENING),
        lambda: merge_players(kept.pk, ayse.pk, NOBODY, at=EVENING).seats,
    ) == (None, [], True)


def tap_next(game, key):
    """The number of the game that was opened, and 0 where it was somebody else's."""
    after, opened = next_game(game, key=key)
    return after.match_number if opened else 0


@pytest.mark.parametrize(("key", "second"), [(KEY, 2), ("key-of-another-phone-123", 0)])
def test_second_tap_on_the_next_game_waits_and_finds_it_open(key, second):
    game = krapet()
    record(game, won_by(0))

    assert while_another_is_writing(lambda: tap_next(game, KEY), lambda: tap_next(game, key)) == (
        2,
        second,
        True,
    )
    assert models.Game.objects.count() == 2


def tap_rematch(game, terms, key):
    head = SetupFactory(ruleset=game.ruleset, players=game.players)
    after, opened = tables.start_rematch(game.pk, tables.NextGame(head, terms), at=EVENING, key=key)
    return after.pk if opened else -after.pk


@pytest.mark.parametrize("terms", [None, ("best-of", 3)])
@pytest.mark.parametrize(("key", "sign"), [(KEY, 1), ("key-of-another-phone-123", -1)])
def test_second_tap_on_rematch_waits_and_finds_it_open(key, sign, terms):
    game = krapet() if terms else GameFactory()

    outcomes = while_another_is_writing(
        lambda: tap_rematch(game, terms, KEY), lambda: tap_rematch(game, terms, key)
    )

    rematch = models.Game.objects.get(open_table=game.open_table, number=2)
    assert outcomes == (rematch.pk, sign * rematch.pk, True)
    assert models.Game.objects.count() == 2


def link():
    return begin_transfer([(GameFactory(), "follow")], {}, at=EVENING)


def transfer_to_phone(key):
    return lambda: len(take_transfer(key, at=EVENING)[0])


def test_one_of_two_phones_gets_the_tables():
    for _ in range(5):
        works = [transfer_to_phone(link())] * 2
        assert sorted(map(str, at_once(*works))) == ["1", "TransferGone"]
    assert not models.PhoneTransfer.objects.exists()


def test_second_phone_waits_and_finds_the_link_used():
    works = [transfer_to_phone(link())] * 2
    assert while_another_is_writing(*works) == (1, "TransferGone", True)
