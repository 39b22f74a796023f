import pytest

from tests.club_factories import MemberFactory, PlayerFactory, RoundFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import BY, audit, lay, sitting
from tests.factories import EVENING, ContextFactory, HouseRulesetFactory, record
from tests.match_builders import TWO, won_by
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import AuditEntry, Game, Match, Player, Seat, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.services.audit import Actor
from tournaments.services.events.events import close_round
from tournaments.services.games import playing, tables
from tournaments.services.games.playing import GameSetup, change_head
from tournaments.services.games.seating import NotOfClub, SitsElsewhere, SitsTwice
from tournaments.services.games.tables import AccessLinkClosed, Laying, WrongCode
from tournaments.services.games.writing import RoundClosed, StaleRevision

pytestmark = pytest.mark.django_db

OTHERS = ("Elif", "Fatma", "Gül", "Hakan")


def rename(table, names, by=None, **fields):
    game = table.games.get()
    by = by or Actor(table=table.public_id)
    context = ContextFactory(revision=game.revision, by=by)
    return change_head(game.pk, GameSetup(game.ruleset, names, **fields), context)


def test_table_is_laid_with_players_found_and_added():
    round_ = RoundFactory()
    ayse = PlayerFactory(club=round_.event.club, name="Ayşe")
    PlayerFactory(name="Burak")

    table = lay(round_, ("ayşe", *NAMES[1:]))

    game = table.games.get()
    assert (table.number, game.title, game.players) == (1, "Cuma akşamı", list(NAMES))
    assert sitting(game) == list(NAMES)
    assert Seat.objects.get(game=game, number=0).player == ayse
    assert Player.objects.filter(club=round_.event.club).count() == 4
    line = AuditEntry.objects.get(action="add-table")
    assert (line.subject, line.after["table"], line.after["games"][0]["players"]) == (
        f"table:{table.public_id}",
        1,
        list(NAMES),
    )


def test_players_are_called_on_the_sheet_as_they_wish():
    round_ = RoundFactory()
    shy = PlayerFactory(club=round_.event.club, name="Ayşe Yılmaz", initials=True)

    table = lay(round_, (shy, *NAMES[1:]))

    game = table.games.get()
    assert (game.players[0], sitting(game)[0]) == ("A. Y.", "Ayşe Yılmaz")


def test_player_sits_once_in_a_round():
    round_ = RoundFactory()
    lay(round_)

    with pytest.raises(SitsElsewhere) as refused:
        lay(round_, (*OTHERS[:3], "AYŞE"))

    assert refused.value.params == {"name": "Ayşe", "table": 1}
    assert (Table.objects.count(), Game.objects.count(), Player.objects.count()) == (1, 1, 4)
    lay(RoundFactory(event=round_.event))


def test_player_sits_once_at_a_table():
    round_ = RoundFactory()

    with pytest.raises(SitsTwice):
        lay(round_, ("Ayşe", "Burak", "Cem", "ayşe"))

    assert Player.objects.count() == 0


@pytest.mark.parametrize("copied", [True, False])
def test_table_plays_by_rules_of_its_own_club_only(copied):
    round_ = RoundFactory()
    director = MemberFactory(club=round_.event.club, role="director").user
    theirs = HouseRulesetFactory(
        slug="theirs", club=MemberFactory(user=director, role="owner").club
    )
    ours = HouseRulesetFactory(slug="ours", club=round_.event.club)

    def lay_by(rules, who):
        head = GameSetup(rules.slug, (), document=rules.document if copied else None)
        return tables.add_table(round_.pk, Laying(head, who), Actor(director), at=EVENING)

    with pytest.raises(InvalidEntry):
        lay_by(theirs, NAMES)
    assert lay_by(ours, NAMES).games.get().document == ours.document
    assert Table.objects.count() == 1


def test_form_sent_twice_lays_one_table():
    round_ = RoundFactory()

    once, again = (lay(round_, key="a-key-of-the-director") for _ in range(2))

    assert (once, Table.objects.count()) == (again, 1)
    assert lay(round_, OTHERS, key="another-key-of-the-director") != once


def lay_match(round_=None):
    round_ = round_ or RoundFactory()
    table = lay(round_, TWO, GameSetup("krapet", ()), terms=("best-of", 3))
    record(table.games.get(), won_by(0))
    return table


def next_game(table, by=BY):
    game = table.games.earliest("pk")
    return tables.start_next_game(game.pk, at=EVENING, key="next-key", reason="carried", by=by)[0]


def test_next_game_of_a_match_is_played_at_the_same_table():
    table = lay_match()

    game = next_game(table)

    assert (game.table, game.match_number, sitting(game)) == (table, 2, list(TWO))
    assert tables.current_game(table) == game
    assert AuditEntry.objects.latest("pk").action == "next-game"


def test_next_game_is_not_begun_in_a_closed_round_except_by_a_director():
    table = lay_match()
    director = MemberFactory(club=table.round.event.club, role="director").user
    close_round(table.round_id, BY, at=EVENING)

    with pytest.raises(RoundClosed):
        next_game(table, Actor(table=table.public_id))

    assert next_game(table, Actor(director)).match_number == 2


def test_table_swaps_seats_among_its_players():
    table = TableFactory()
    seats = {seat.player.name: seat.pk for seat in Seat.objects.select_related("player")}

    rename(table, ("Cem", "Burak", "Ayşe", "Deniz"))

    game = table.games.get()
    assert (game.players, sitting(game)) == (["Cem", "Burak", "Ayşe", "Deniz"],) * 2
    # Undoing a merge finds the rows by their keys.
    now = {seat.player.name: seat.pk for seat in Seat.objects.select_related("player")}
    assert now == seats


def test_player_shown_by_initials_may_be_swapped_by_them():
    table = TableFactory(players=("Ayşe Yılmaz", *NAMES[1:]))
    game = table.games.get()
    Player.objects.filter(name="Ayşe Yılmaz").update(initials=True)
    game.players = ["A. Y.", *NAMES[1:]]
    game.save()

    rename(table, ("Burak", "A. Y.", "Cem", "Deniz"))

    assert sitting(game) == ["Burak", "Ayşe Yılmaz", "Cem", "Deniz"]
    assert table.games.get().players == ["Burak", "A. Y.", "Cem", "Deniz"]


def test_table_names_another_player_of_the_club():
    table = TableFactory()
    PlayerFactory(club=table.round.event.club, name="Elif")

    rename(table, ("ELİF", *NAMES[1:]))

    assert sitting(table.games.get()) == ["Elif", *NAMES[1:]]
    assert table.games.get().players == ["Elif", *NAMES[1:]]


def test_table_adds_no_player_but_a_director_does():
    table = TableFactory()
    director = MemberFactory(club=table.round.event.club, role="director").user
    names = ("Elif", *NAMES[1:])

    for by in (Actor(table=table.public_id), Actor(MemberFactory().user)):
        with pytest.raises(NotOfClub) as refused:
            rename(table, names, by)

    assert (refused.value.params["name"], sitting(table.games.get())) == ("Elif", list(NAMES))
    rename(table, names, Actor(director))
    assert sitting(table.games.get()) == list(names)


def test_player_of_another_table_cannot_be_seated():
    round_ = RoundFactory()
    table, other = (TableFactory(round=round_, players=names) for names in (NAMES, OTHERS))

    with pytest.raises(SitsElsewhere) as refused:
        rename(table, ("Elif", *NAMES[1:]))

    assert refused.value.params == {"name": "Elif", "table": other.number}


def test_refused_head_seats_nobody():
    table = TableFactory(entries=WHOLE_GAME[:1])
    game = table.games.get()
    context = ContextFactory(revision=0, by=Actor(table=table.public_id))

    with pytest.raises(StaleRevision):
        change_head(game.pk, GameSetup(game.ruleset, ("Cem", "Burak", "Ayşe", "Deniz")), context)

    assert sitting(game) == list(NAMES)


def test_same_head_sent_twice_is_written_once():
    table = TableFactory()
    game = table.games.get()
    head = GameSetup(game.ruleset, ("cem", "Burak", "Ayşe", "Deniz"))
    PlayerFactory(club=table.round.event.club, name="Elif")
    context = ContextFactory(revision=0, by=Actor(table=table.public_id))

    for _ in range(2):
        sheet = change_head(game.pk, head, context)

    assert (sheet.row.revision, sitting(game)) == (1, ["Cem", "Burak", "Ayşe", "Deniz"])


def test_removed_table_leaves_its_record_in_the_audit():
    table = lay_match()
    next_game(table)

    for _ in range(2):
        tables.remove_table(table.pk, BY, at=EVENING)

    for model in (Table, Match, Game, Seat):
        assert not model.objects.exists()
    line = AuditEntry.objects.latest("pk")
    kept = [record["entries"] for record in line.before["records"]]
    assert (line.action, kept) == ("remove-table", [[won_by(0)]])


def test_replaced_address_makes_card_code_and_phones_worthless():
    table = lay_match()
    later = next_game(table)
    game = playing.hand_over(table.games.earliest("pk").pk, 1, "key-of-the-lost-phone", at=EVENING)
    audited = len(audit())

    new = tables.replace_address(table.pk, BY, at=EVENING)

    assert not Table.objects.found_at(table.public_id, table.secret).exists()
    assert Table.objects.found_at(table.public_id, new.secret).exists()
    assert new.code != table.code
    for each in (game, later):
        assert not Game.objects.writable_at(each.public_id, each.secret("write")).exists()
        assert not Game.objects.takeable_at(each.public_id, each.secret("pen")).exists()
    assert not Game.objects.taken_with(game.public_id, "key-of-the-lost-phone").exists()
    assert audit()[audited:] == [("replace-address", f"table:{table.public_id}", None, None)]


def test_another_phone_that_takes_the_pen_of_a_table_stands_in_the_audit_once():
    table = TableFactory()
    game = table.games.get()
    phone = Actor(table=table.public_id, address="192.0.2.7")

    for _tap in range(2):
        playing.hand_over(game.pk, 1, "key-of-the-new-phone", phone, at=EVENING)

    line = AuditEntry.objects.get()
    assert (line.kind, line.action, line.subject, line.table, line.address) == (
        "event",
        "take-pen",
        f"table:{table.public_id}",
        table.public_id,
        "192.0.2.7",
    )
    assert Game.objects.get(pk=game.pk).taken_at == EVENING


def enter(table, code):
    table.refresh_from_db()
    return tables.enter_table(table.pk, table.generation, code, BY, at=EVENING)


def wrong_codes(table):
    return [f"{n:04}" for n in range(20) if f"{n:04}" != table.code]


def test_right_code_opens_and_gives_no_tries_back():
    table = TableFactory()
    with pytest.raises(WrongCode) as wrong:
        enter(table, wrong_codes(table)[0])
    assert wrong.value.data["left"] == MOST_WRONG_CODES - 1

    enter(table, table.code)

    table.refresh_from_db()
    assert table.wrong_codes == 1


def test_door_stays_shut_after_too_many_wrong_codes():
    table = TableFactory()
    told = []
    for code in wrong_codes(table)[:MOST_WRONG_CODES]:
        with pytest.raises((WrongCode, AccessLinkClosed)) as refused:
            enter(table, code)
        told.append(refused.type)

    with pytest.raises(AccessLinkClosed):
        enter(table, table.code)

    assert told == [WrongCode] * (MOST_WRONG_CODES - 1) + [AccessLinkClosed]
    assert audit() == [("shut-door", f"table:{table.public_id}", None, None)]


def test_replaced_address_opens_a_shut_door_to_the_new_code():
    table = TableFactory()
    Table.objects.update(wrong_codes=MOST_WRONG_CODES)

    new = tables.replace_address(table.pk, BY, at=EVENING)

    enter(new, new.code)
    with pytest.raises(Table.DoesNotExist):
        tables.enter_table(table.pk, table.generation, new.code, BY, at=EVENING)
