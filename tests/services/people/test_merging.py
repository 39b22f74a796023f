from datetime import timedelta

import pytest

from tests import club_factories as make
from tests.club_factories import TableFactory as Table
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.models import AuditEntry, Entrant, Game, Member, Merge, Player, Seat, Substitute
from tournaments.models.people import MOST_WRONG_CLAIMS, MOST_WRONG_TYPED
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.people import merging
from tournaments.services.people.changes import remove_player, set_initials
from tournaments.services.people.players import find_player

pytestmark = pytest.mark.django_db

OTHERS = ["Burak", "Cem", "Deniz"]


@pytest.fixture
def round_():
    return make.RoundFactory()


@pytest.fixture
def kept(round_):
    return player_of(Table(round=round_, players=["Ayşe Yılmaz", *OTHERS]))


@pytest.fixture
def gone(round_):
    Table(round=round_, players=["Ayse", *OTHERS], entries=WHOLE_GAME[:1])
    return player_of(Table(round=round_, players=["Ayse", *OTHERS]))


def player_of(table):
    return table.games.get().seats.get(number=0).player


def merge(kept, gone, by=NOBODY):
    return merging.merge_players(kept.pk, gone.pk, by, at=EVENING)


def undo(merge, by=NOBODY):
    return merging.undo_merge(merge.pk, by, at=EVENING)


def state():
    """Whose seats are whose, what stands on the sheets, and who has an account."""
    players = Player.objects.order_by("pk").values_list(
        "pk", "name", "account", "initials", "merged_into", "removed_at"
    )
    seats = Seat.objects.order_by("pk").values_list("pk", "game", "number", "player")
    sheets = [
        (row.pk, tuple(row.players), tuple(write.author for write in row.revisions.all()))
        for row in Game.objects.order_by("pk")
    ]
    entrants = Entrant.objects.order_by("pk").values_list("pk", "player", "partner")
    stand_ins = Substitute.objects.order_by("pk").values_list("pk", "instead_of", "player")
    return set(players), set(seats), set(sheets), set(entrants), set(stand_ins)


def test_merged_player_brings_games_and_is_found_under_both_names(kept, gone):
    by = Actor(make.AccountFactory(), address="192.0.2.7")

    merge(kept, gone, by)

    line = kept.club.audit_lines.first()
    said = (line.kind, line.action, line.subject, line.after, line.user, line.address)
    # It names nobody.
    after = {"other": f"player:{gone.pk}", "seats": 2}
    assert said == ("player", "merge", f"player:{kept.pk}", after, by.user, "192.0.2.7")
    assert (kept.seats.count(), gone.seats.count()) == (3, 0)
    assert {row.players[0] for row in Game.objects.all()} == {"Ayşe Yılmaz"}
    assert find_player(kept.club, "AYSE") == find_player(kept.club, "ayşe yılmaz") == kept
    assert list(Player.objects.present().matching("ays")) == [kept]


def test_undone_merge_gives_back_exactly(kept, gone):
    Player.objects.filter(pk=gone.pk).update(account=make.AccountFactory())
    gone = set_initials(gone.pk, True, NOBODY, at=EVENING)
    before = state()

    done = merge(kept, gone)
    merged = state()
    undo(done)

    assert merged != before
    assert state() == before


def test_games_played_and_initials_wished_for_since_stay_with_the_kept_player(kept, gone, round_):
    set_initials(gone.pk, True, NOBODY, at=EVENING)
    done = merge(kept, gone)
    later = Table(round=round_, players=["Ayşe Yılmaz", *OTHERS])
    for wish in (False, True):
        set_initials(kept.pk, wish, NOBODY, at=EVENING)

    undo(done)

    assert player_of(later) == kept
    assert (kept.seats.count(), gone.seats.count()) == (2, 2)
    kept.refresh_from_db()
    assert kept.initials is True


@pytest.fixture
def entered(kept, gone):
    """How `gone` takes part in tournaments: alone, as partner, in another's place, replaced."""
    other = make.PlayerFactory(club=kept.club)
    alone = make.EntrantFactory(player=gone)
    pair = make.EntrantFactory(player=other, partner=gone)
    stands_in = make.SubstituteFactory(entrant=make.EntrantFactory(player=other), player=gone)
    replaced = make.SubstituteFactory(entrant=alone, instead_of=gone, player=other)
    return [(alone, "player"), (pair, "partner"), (stands_in, "player"), (replaced, "instead_of")]


def named_in(entered):
    return [getattr(type(row).objects.get(pk=row.pk), field) for row, field in entered]


def test_tournaments_come_along_and_go_back(kept, gone, entered):
    make.EntrantFactory(player=kept)
    before = state()

    done = merge(kept, gone)
    assert named_in(entered) == [kept] * 4
    undo(done)

    assert state() == before


def test_tournaments_played_since_stay_with_the_kept_player(kept, gone, entered):
    struck_off, rest = entered[1][0], [entered[0], entered[2], entered[3]]
    done = merge(kept, gone)
    later = make.EntrantFactory(player=kept, tournament__event__club=kept.club)
    since = make.SubstituteFactory(
        entrant=entered[0][0], round_number=2, instead_of=kept, player=make.PlayerFactory()
    )
    struck_off.delete()

    undo(done)

    assert named_in([(later, "player")]) == [kept]
    # The one who is replaced is the entrant, and goes back with them.
    assert named_in([*rest, (since, "instead_of")]) == [gone] * 4


def test_who_sits_for_an_entrant_in_a_going_round_is_not_parted_from_it(kept, gone):
    entrant = make.EntrantFactory(player=gone, tournament__event__club=kept.club)
    done = merge(kept, gone)
    round_ = make.RoundFactory(event=entrant.tournament.event)
    table = Table(round=round_, players=["Ayşe Yılmaz", *OTHERS])
    make.SittingFactory(round=round_, table=table, side=0, entrant=entrant)

    with pytest.raises(merging.StillPlaying):
        undo(done)
    assert (Entrant.objects.get().player, player_of(table)) == (kept, kept)

    round_.closed_at = EVENING
    round_.save()
    undo(done)
    assert (Entrant.objects.get().player, player_of(table)) == (gone, kept)


def refused(kept, gone):
    before = state()
    with pytest.raises(merging.NotOnePerson) as problem:
        merge(kept, gone)
    assert state() == before
    assert not Merge.objects.filter(gone=gone, undone_at=None, kept=kept).exists()
    return problem.value.why


def test_who_cannot_be_one_person_is_not_merged(kept, gone, round_):
    table = Table(round=round_, players=["Ayşe", "Ali", *OTHERS[:2]])
    one, other = (seat.player for seat in table.games.get().seats.all()[:2])

    assert refused(kept, kept) == merging.Unlike.SAME
    assert refused(kept, make.PlayerFactory(club=make.ClubFactory())) == merging.Unlike.CLUB
    assert refused(one, other) == merging.Unlike.TABLE
    for player in (kept, gone):
        Player.objects.filter(pk=player.pk).update(account=make.AccountFactory())
    assert refused(kept, gone) == merging.Unlike.ACCOUNT


@pytest.mark.parametrize(
    "enter",
    [
        lambda where, who: make.EntrantFactory(tournament=where, player=who),
        lambda where, who: make.EntrantFactory(
            tournament=where, player=make.PlayerFactory(club=who.club), partner=who
        ),
        lambda where, who: make.SubstituteFactory(entrant__tournament=where, player=who),
    ],
    ids=["alone", "partner", "substitute"],
)
def test_players_who_took_part_in_one_tournament_are_not_merged(kept, gone, enter):
    where = make.TournamentFactory(event__club=kept.club)
    make.EntrantFactory(tournament=where, player=kept)
    enter(where, gone)

    assert refused(kept, gone) == refused(gone, kept) == merging.Unlike.TOURNAMENT


def test_who_is_merged_or_removed_is_merged_no_more(kept, gone):
    third, fourth = make.PlayerFactory(club=kept.club), make.PlayerFactory(club=kept.club)
    merge(kept, gone)
    remove_player(third.pk, NOBODY, at=EVENING)

    assert [refused(*pair) for pair in ((gone, fourth), (fourth, gone), (fourth, third))] == [
        merging.Unlike.GONE
    ] * 3


def test_chain_of_merges_is_undone_from_its_end(kept, gone, round_):
    last = player_of(Table(round=round_, players=["A. Y.", *OTHERS]))
    before = state()
    first = merge(kept, gone)
    second = merge(last, kept)
    assert last.seats.count() == 4

    with pytest.raises(merging.MergedFurther) as further:
        undo(first)
    assert further.value.data == {"merge": second.pk}
    undo(second)
    undo(first)

    assert state() == before


@pytest.mark.parametrize("deleted", [False, True])
def test_account_claimed_since_is_not_given_to_the_other(kept, gone, deleted):
    """The account that a merge brought has left; another person has claimed the kept player."""
    first, second = make.AccountFactory(), make.AccountFactory()
    Player.objects.filter(pk=gone.pk).update(account=first)
    done = merge(kept, gone)
    if deleted:
        first.delete()
    else:
        merging.unlink_account(kept.pk, NOBODY, at=EVENING)
    kept.refresh_from_db()
    merging.claim_player(kept.public_id, kept.claim_secret, Actor(second), at=EVENING)

    undo(done)

    assert Player.objects.get(account=second) == kept
    assert Player.objects.get(pk=gone.pk).account is None


def test_removing_the_kept_player_takes_both_names(kept, gone):
    done = merge(kept, gone)

    remove_player(kept.pk, NOBODY, at=EVENING)

    assert {(p.name, p.removed_at) for p in Player.objects.filter(pk__in=[kept.pk, gone.pk])} == {
        ("", EVENING)
    }
    assert {row.players[0] for row in Game.objects.all()} == {"№ 1"}
    assert "Ayse" not in str(list(kept.club.audit_lines.values()))
    with pytest.raises(Player.DoesNotExist):
        undo(done)


@pytest.fixture
def player():
    return make.PlayerFactory(name="Işıl")


@pytest.fixture
def me():
    return Actor(make.AccountFactory(), address="192.0.2.7")


def claim(player, by, at=EVENING):
    return merging.claim_player(player.public_id, player.claim_secret, by, at=at)


def look(code, by, at=EVENING):
    return merging.find_by_code(code, by, at=at)


def wrong(player):
    """A code of the right form for a player, and not theirs."""
    return f"{player.pk}-2222-2222"


def test_link_is_used_by_one_account_whose_role_stays(player, me):
    make.MemberFactory(club=player.club, user=me.user, role="director")

    for _tap in range(2):
        assert claim(player, me) == player

    with pytest.raises(Player.DoesNotExist):
        claim(player, Actor(make.AccountFactory()))
    assert Player.objects.get().account == me.user
    assert Member.objects.get(user=me.user).role == "director"
    assert AuditEntry.objects.get().action == "claim"


def test_code_is_typed_as_one_likes(player, me):
    code = player.claim_code
    plain = code.replace("-", "")
    spaced = f"  {code.replace('-', ' – ')} \n"

    for typed in (code, code.upper(), plain, code.replace("-", " "), spaced, " ".join(plain)):
        assert look(typed, me) == player


def test_what_is_no_code_is_a_wrong_one(player):
    ways = ("", "-", "abcd-efgh", "x-2222-2222", "٣-2222-2222", "\0", "1-ğğğğ-ğğğğ", "²22222222")
    for typed in (*ways, "9" * 40 + "22222222"):
        by = Actor(make.AccountFactory())
        with pytest.raises(merging.WrongClaimCode):
            look(typed, by)
        by.user.refresh_from_db()
        assert by.user.wrong_claims == 1


def test_wrong_codes_spoil_the_right_one_until_there_is_a_new_one(player):
    Player.objects.update(wrong_claims=MOST_WRONG_CLAIMS - 2)
    with pytest.raises(merging.WrongClaimCode):
        look(wrong(player), Actor(make.AccountFactory()))
    assert look(player.claim_code, Actor(make.AccountFactory())) == player
    with pytest.raises(merging.WrongClaimCode):
        look(wrong(player), Actor(make.AccountFactory()))

    with pytest.raises(merging.WrongClaimCode):
        look(player.claim_code, Actor(make.AccountFactory()))
    player = merging.new_claim(player.pk, NOBODY, at=EVENING)

    assert look(player.claim_code, Actor(make.AccountFactory())) == player


def test_same_answer_whether_wrong_unknown_or_spoiled(player):
    spoiled = make.PlayerFactory(wrong_claims=MOST_WRONG_CLAIMS)
    claimed = make.PlayerFactory(account=make.AccountFactory())
    codes = [wrong(player), "999999-2222-2222", spoiled.claim_code, claimed.claim_code]

    for code in codes:
        with pytest.raises(merging.WrongClaimCode):
            look(code, Actor(make.AccountFactory()))


def test_account_cannot_try_all_players(me):
    players = [make.PlayerFactory() for _ in range(MOST_WRONG_TYPED)]
    for player in players:
        with pytest.raises(merging.WrongClaimCode):
            look(wrong(player), me)

    with pytest.raises(merging.TooManyCodes):
        look(players[0].claim_code, me, at=EVENING + timedelta(minutes=59))
    assert look(players[0].claim_code, me, at=EVENING + timedelta(hours=1)) == players[0]


def test_untied_player_can_be_claimed_anew_and_not_with_the_old_link(player, me):
    old = player.claim_secret
    claim(player, me)

    for _tap in range(2):
        free = merging.unlink_account(player.pk, me, at=EVENING)

    assert free.account is None
    assert Member.objects.filter(user=me.user).exists()
    with pytest.raises(Player.DoesNotExist):
        merging.claim_player(player.public_id, old, me, at=EVENING)
    assert claim(free, Actor(make.AccountFactory())) == player
    line = AuditEntry.objects.get(action="release")
    assert line.before == {"account": f"account:{me.user.pk}"}


def test_merged_and_removed_players_cannot_be_claimed(player, me):
    other = make.PlayerFactory(club=player.club)
    cards = [(row, row.claim_secret, row.claim_code) for row in (player, other)]
    merging.merge_players(other.pk, player.pk, NOBODY, at=EVENING)
    remove_player(other.pk, NOBODY, at=EVENING)

    for row, secret, code in cards:
        with pytest.raises(Player.DoesNotExist):
            merging.claim_player(row.public_id, secret, me, at=EVENING)
        with pytest.raises(merging.WrongClaimCode):
            look(code, me)
