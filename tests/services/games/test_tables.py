from dataclasses import replace

import pytest

from tests.club_factories import MemberFactory, PlayerFactory, RoundFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import BY, audit, lay, sitting
from tests.factories import (
    EVENING,
    ContextFactory,
    GameFactory,
    HouseRulesetFactory,
    SetupFactory,
    record,
)
from tests.match_builders import TWO, march, next_game, play, railroad, rematch, won_by
from tournaments import models
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.documents.reporting import request_scoresheet
from tournaments.services.events.events import close_round
from tournaments.services.games import playing, tables
from tournaments.services.games.seating import SitsElsewhere
from tournaments.services.games.writing import RoundClosed, StaleRevision
from tournaments.services.people.changes import set_initials

pytestmark = pytest.mark.django_db

OTHERS = ("Elif", "Fatma", "Gül", "Hakan")


def rename(table, names, by=None, **fields):
    game = table.games.get()
    by = by or Actor(table=table.public_id)
    context = ContextFactory(revision=game.revision, by=by)
    return playing.change_head(game.pk, playing.GameSetup(game.ruleset, names, **fields), context)


def test_table_is_laid_with_players_found_and_added_who_are_called_as_they_wish():
    round_ = RoundFactory()
    club = round_.event.club
    shy = PlayerFactory(club=club, name="Ayşe Yılmaz", initials=True)
    cem = PlayerFactory(club=club, name="Cem")
    PlayerFactory(name="Burak")

    table = lay(round_, ("ayşe yılmaz", "Burak", cem, "Deniz"))

    game, shown = table.games.get(), ["A. Y.", *NAMES[1:]]
    assert (table.number, game.title, game.players) == (1, "Cuma akşamı", shown)
    assert sitting(game) == ["Ayşe Yılmaz", *NAMES[1:]]
    assert models.Seat.objects.get(game=game, number=0).player == shy
    assert models.Player.objects.filter(club=club).count() == 4
    line = models.AuditEntry.objects.get(action="add-table")
    assert line.subject == f"table:{table.public_id}"
    assert (line.after["table"], line.after["games"][0]["players"]) == (1, shown)


@pytest.mark.parametrize("copied", [True, False])
def test_table_plays_by_rules_of_its_own_club_only(copied):
    round_ = RoundFactory()
    director = MemberFactory(club=round_.event.club, role="director").user
    theirs = HouseRulesetFactory(
        slug="theirs", club=MemberFactory(user=director, role="owner").club
    )
    ours = HouseRulesetFactory(slug="ours", club=round_.event.club)

    def lay_by(rules, who):
        head = playing.GameSetup(rules.slug, (), document=rules.document if copied else None)
        return tables.add_table(round_.pk, tables.Laying(head, who), Actor(director), at=EVENING)

    with pytest.raises(InvalidEntry):
        lay_by(theirs, NAMES)
    assert lay_by(ours, NAMES).games.get().document == ours.document
    assert models.Table.objects.count() == 1


def test_form_sent_twice_lays_one_table():
    round_ = RoundFactory()

    once, again = (lay(round_, key="a-key-of-the-director") for _ in range(2))

    assert (once, models.Table.objects.count()) == (again, 1)
    assert lay(round_, OTHERS, key="another-key-of-the-director") != once


def lay_match(round_=None):
    round_ = round_ or RoundFactory()
    table = lay(round_, TWO, playing.GameSetup("krapet", ()), terms=("best-of", 3))
    record(table.games.get(), won_by(0))
    return table


def begin_next(table, by=BY):
    game = table.games.earliest("pk")
    return tables.start_next_game(game.pk, at=EVENING, key="next-key", reason="carried", by=by)[0]


def test_next_game_is_not_begun_in_a_closed_round_except_by_a_director():
    table = lay_match()
    director = MemberFactory(club=table.round.event.club, role="director").user
    close_round(table.round_id, BY, at=EVENING)

    with pytest.raises(RoundClosed):
        begin_next(table, Actor(table=table.public_id))

    assert begin_next(table, Actor(director)).match_number == 2


def test_table_swaps_seats_among_its_players_also_by_their_initials():
    table = TableFactory(players=("Ayşe Yılmaz", *NAMES[1:]))
    seats = {seat.player.name: seat.pk for seat in models.Seat.objects.select_related("player")}
    set_initials(models.Player.objects.get(name="Ayşe Yılmaz").pk, True, NOBODY, at=EVENING)

    rename(table, ("Cem", "Burak", "A. Y.", "Deniz"))

    game = table.games.get()
    assert game.players == ["Cem", "Burak", "A. Y.", "Deniz"]
    assert sitting(game) == ["Cem", "Burak", "Ayşe Yılmaz", "Deniz"]
    # Undoing a merge finds the rows by their keys.
    now = {seat.player.name: seat.pk for seat in models.Seat.objects.select_related("player")}
    assert now == seats


def test_player_of_another_table_cannot_be_seated():
    round_ = RoundFactory()
    table, other = (TableFactory(round=round_, players=names) for names in (NAMES, OTHERS))

    with pytest.raises(SitsElsewhere) as refused:
        rename(table, ("Elif", *NAMES[1:]))

    assert refused.value.params == {"name": "Elif", "table": other.number}


def test_head_sent_twice_is_written_once_and_a_stale_one_seats_nobody():
    table = TableFactory()
    game = table.games.get()
    head = playing.GameSetup(game.ruleset, ("cem", "Burak", "Ayşe", "Deniz"))
    context = ContextFactory(revision=0, by=Actor(table=table.public_id))

    for _ in range(2):
        sheet = playing.change_head(game.pk, head, context)
    with pytest.raises(StaleRevision):
        playing.change_head(
            game.pk, playing.GameSetup(game.ruleset, NAMES), replace(context, key="another-key")
        )

    assert (sheet.row.revision, sitting(game)) == (1, ["Cem", "Burak", "Ayşe", "Deniz"])


def test_removed_table_leaves_its_record_in_the_audit():
    table = lay_match()
    begin_next(table)

    for _ in range(2):
        tables.remove_table(table.pk, BY, at=EVENING)

    for model in (models.Table, models.Match, models.Game, models.Seat):
        assert not model.objects.exists()
    line = models.AuditEntry.objects.latest("pk")
    kept = [record["entries"] for record in line.before["records"]]
    assert (line.action, kept) == ("remove-table", [[won_by(0)]])


def test_replaced_address_makes_card_code_and_phones_worthless():
    table = lay_match()
    later = begin_next(table)
    game = playing.hand_over(table.games.earliest("pk").pk, 1, "key-of-the-lost-phone", at=EVENING)
    audited = len(audit())

    new = tables.replace_address(table.pk, BY, at=EVENING)

    assert not models.Table.objects.found_at(table.public_id, table.secret).exists()
    assert models.Table.objects.found_at(table.public_id, new.secret).exists()
    assert new.code != table.code
    for each in (game, later):
        assert not models.Game.objects.writable_at(each.public_id, each.secret("write")).exists()
        assert not models.Game.objects.takeable_at(each.public_id, each.secret("pen")).exists()
    assert not models.Game.objects.taken_with(game.public_id, "key-of-the-lost-phone").exists()
    assert audit()[audited:] == [("replace-address", f"table:{table.public_id}", None, None)]


def test_another_phone_that_takes_the_pen_of_a_table_stands_in_the_audit_once():
    table = TableFactory()
    game = table.games.get()
    phone = Actor(table=table.public_id, address="192.0.2.7")

    for _tap in range(2):
        playing.hand_over(game.pk, 1, "key-of-the-new-phone", phone, at=EVENING)

    line = models.AuditEntry.objects.get()
    assert (line.kind, line.action, line.subject, line.table, line.address) == (
        "event",
        "take-pen",
        f"table:{table.public_id}",
        table.public_id,
        "192.0.2.7",
    )
    assert models.Game.objects.get(pk=game.pk).taken_at == EVENING


def enter(table, code):
    table.refresh_from_db()
    return tables.enter_table(table.pk, table.generation, code, BY, at=EVENING)


def wrong_codes(table):
    return [f"{n:04}" for n in range(20) if f"{n:04}" != table.code]


def test_door_stays_shut_after_too_many_wrong_codes():
    table = TableFactory()
    first, *more = wrong_codes(table)
    with pytest.raises(tables.WrongCode) as wrong:
        enter(table, first)
    assert wrong.value.data["left"] == MOST_WRONG_CODES - 1
    # The right one gives no tries back.
    enter(table, table.code)
    for code in more[: MOST_WRONG_CODES - 2]:
        with pytest.raises(tables.WrongCode):
            enter(table, code)

    for code in (more[-1], table.code):
        with pytest.raises(tables.AccessLinkClosed):
            enter(table, code)

    assert audit() == [("shut-door", f"table:{table.public_id}", None, None)]


def test_replaced_address_opens_a_shut_door_to_the_new_code():
    table = TableFactory()
    models.Table.objects.update(wrong_codes=MOST_WRONG_CODES)

    new = tables.replace_address(table.pk, BY, at=EVENING)

    enter(new, new.code)
    with pytest.raises(models.Table.DoesNotExist):
        tables.enter_table(table.pk, table.generation, new.code, BY, at=EVENING)


def numbers(table):
    return list(table.games.order_by("number").values_list("number", flat=True))


def test_setup_that_is_refused_leaves_neither_table_nor_match():
    with pytest.raises(InvalidEntry):
        tables.start_table(SetupFactory(players=("Ayşe",)), at=EVENING)
    # A game without a target has no winner.
    with pytest.raises(InvalidEntry):
        tables.start_match(SetupFactory(), "best-of", 3, at=EVENING)

    for model in (models.OpenTable, models.Match, models.Game):
        assert not model.objects.exists()


def test_games_follow_one_another_at_a_table_whatever_is_played():
    first = GameFactory(entries=WHOLE_GAME)
    second, opened = rematch(first, ruleset="krapet", players=("Ayşe", "Elif"))
    again, twice = rematch(first)
    by_another, theirs = rematch(first, key="another-phone-pressed-later")
    third, _ = rematch(second)

    assert (opened, twice, theirs) == (True, True, False)
    assert second == again == by_another
    assert numbers(first.open_table) == [1, 2, 3]
    # From an old sheet, the table leads to its last game.
    assert rematch(first, key="yet-another-key") == (third, False)


def test_taking_the_scoring_revokes_the_write_links_of_all_games_at_the_table():
    first, stranger = GameFactory(entries=WHOLE_GAME), GameFactory()
    second, _ = rematch(first)

    for _ in range(2):
        playing.hand_over(second.pk, 1, "key-of-the-taker", at=EVENING)

    generations = dict(models.Game.objects.values_list("pk", "write_generation"))
    assert generations == {first.pk: 2, second.pk: 2, stranger.pk: 1}


def test_table_and_match_go_with_their_last_game():
    first = play([0])
    second, _ = next_game(first)
    playing.delete_game(second.pk)
    third, opened = rematch(first, key="pressed-once-more")
    assert (opened, third.number, models.Match.objects.count()) == (True, 2, 1)

    playing.delete_game(first.pk)
    assert (models.OpenTable.objects.count(), models.Match.objects.count()) == (1, 0)
    playing.delete_game(third.pk)

    assert not models.OpenTable.objects.exists()


def test_game_that_a_club_adopts_stays_in_the_evening():
    first = GameFactory(entries=WHOLE_GAME)
    second, _ = rematch(first)
    second.phones = [{"name": "Ayşecik", "phone": "x", "was": ["Ayşe Gür"]}]
    second.save()

    tables.adopt_game(second.pk, RoundFactory().pk, NAMES, NOBODY, at=EVENING)
    # What the table called its players before is no matter of the club.
    (phone,) = models.Game.objects.get(pk=second.pk).phones
    assert phone == {"name": NAMES[0], "phone": "x", "was": []}
    playing.hand_over(second.pk, 1, "key-of-the-taker", at=EVENING)

    assert numbers(first.open_table) == [1, 2]
    # The club hands over its own game only.
    assert models.Game.objects.get(pk=first.pk).write_generation == 1


def test_score_and_next_game_follow_what_is_corrected():
    first = play([0])
    head = SetupFactory(ruleset="krapet", players=("Ayşe", "Cem"))

    playing.change_head(first.pk, head, ContextFactory(revision=1))
    playing.correct_entry(first.pk, 0, parse_entry(won_by(1)), "", ContextFactory(revision=2))

    assert tables.load_match(first.match).score.won == (0, 1)
    assert next_game(first)[0].players == ["Ayşe", "Cem"]


def test_laps_carry_what_is_over_the_target_into_the_next_game():
    game = railroad(laps=True)
    march(game, 3)

    after, _ = next_game(game)

    (write,) = after.revisions.all()
    assert write.body == {
        "type": "adjustment",
        "seat": 0,
        "points": 2,
        "to": "none",
        "reason": "Laps",
    }
    sheet = tables.load_match(game.match).sheets[1]
    assert (sheet.game.totals, sheet.row.revision) == ((2, 0), 1)
    assert after.revision == 1


def adopt(game, round_, who=NAMES):
    return tables.adopt_game(game.pk, round_.pk, who, BY, at=EVENING)


def test_typed_names_give_way_to_how_the_players_are_shown():
    round_ = RoundFactory()
    PlayerFactory(club=round_.event.club, name="Ayşe Yılmaz", initials=True)
    # Two were written at each other's seats.
    typed = ("Ayşe Yılmaz", "Cem", "Burak", "Deniz")
    game = GameFactory(head__players=typed)
    playing.record_entry(game.pk, parse_entry(WHOLE_GAME[0]), ContextFactory(author="Ayşe Yılmaz"))
    playing.record_entry(
        game.pk, parse_entry(WHOLE_GAME[1]), ContextFactory(revision=1, author="Cem")
    )
    head = SetupFactory(players=typed, title="Final")
    playing.change_head(game.pk, head, ContextFactory(revision=2, author="Burak"))
    asked = request_scoresheet(models.Game.objects.get(), language="tr", follow_url="x", at=EVENING)

    adopt(game, round_, ("Ayşe Yılmaz", *NAMES[1:]))

    writes = models.Revision.objects.order_by("revision")
    assert list(writes.values_list("author", flat=True)) == ["A. Y.", "Burak", "Cem"]
    assert writes[2].before["players"] == writes[2].body["players"] == ["A. Y.", *NAMES[1:]]
    assert models.Game.objects.get().title == "Final"
    assert not models.Report.objects.filter(pk=asked.pk).exists()


def test_adopting_brings_all_games_of_a_match():
    first = tables.start_match(playing.GameSetup("krapet", TWO), "best-of", 3, at=EVENING)
    record(first, won_by(0))
    second, _ = tables.start_next_game(first.pk, at=EVENING, key="next-key", reason="")
    swapped = playing.GameSetup("krapet", tuple(reversed(TWO)))
    playing.change_head(second.pk, swapped, ContextFactory(revision=second.revision))

    table = adopt(first, RoundFactory(), ("Elif", "Fatma"))

    assert list(table.games.order_by("pk")) == [first, second]
    assert [sitting(game) for game in (first, second)] == [["Elif", "Fatma"], ["Fatma", "Elif"]]


def test_lost_phone_that_opened_the_table_is_not_led_back_to_it():
    head, key = playing.GameSetup("turkish-king", NAMES), "key-of-the-lost-phone"
    game = playing.start_game(head, at=EVENING, key=key)
    table = adopt(game, RoundFactory())

    tables.replace_address(table.pk, BY, at=EVENING)

    assert playing.start_game(head, at=EVENING, key=key) != game
