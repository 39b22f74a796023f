import pytest

from tests import club_factories as make
from tests.factories import EVENING, GameFactory, UserFactory
from tournaments.models import Club, Game, Player, Round, Seat
from tournaments.services.games import playing

pytestmark = pytest.mark.django_db

VISITORS = ["nobody", "stranger", "member", "director", "owner", "other", "staff"]


@pytest.fixture
def club():
    return make.ClubFactory(slug="moda")


@pytest.fixture
def visitors(club):
    """Everybody there is, by name; `other` owns another club."""
    people = {
        role: make.MemberFactory(club=club, role=role).user
        for role in ("member", "director", "owner")
    }
    return people | {
        "nobody": None,
        "stranger": make.AccountFactory(),
        "other": make.MemberFactory(role="owner").user,
        "staff": UserFactory(is_staff=True, is_superuser=True),
    }


def those_for_whom(visitors, rows, wanted):
    return [who for who in VISITORS if wanted in rows(visitors[who])]


def test_each_club_is_found_once_by_a_member_of_several(club):
    member = make.MemberFactory(club=club, role="owner")
    other = make.MemberFactory(user=member.user, role="member")
    Club.objects.update(published=True)

    assert list(Club.objects.seen_by(member.user).order_by("pk")) == [club, other.club]
    assert list(Club.objects.directed_by(member.user)) == [club]


FINALS = {"rounds": 2, "finals": 8, "hide_last": True}
SWISS = {"rounds": 2, "hide_last": True}


@pytest.mark.parametrize(
    ("state", "chosen", "rounds", "hidden"),
    [
        ("running", SWISS | {"rounds": 1}, "o", [1]),
        ("running", SWISS, "co", [2]),
        ("running", SWISS, "cc", [2]),
        ("finished", SWISS, "cc", []),
        ("running", SWISS, "cs", []),
        ("running", SWISS | {"hide_last": False}, "co", []),
        ("running", {"hide_last": True}, "cco", [3]),
        ("running", FINALS, "co", [2]),
        ("running", FINALS, "cc", []),
        ("running", FINALS, "ccoo", [4]),
        ("running", FINALS, "cccc", [4]),
        ("finished", FINALS, "cccc", []),
    ],
)
def test_result_of_a_hidden_round_is_seen_by_directors_and_at_its_table(
    visitors, state, chosen, rounds, hidden
):
    event = make.EventFactory(club=Club.objects.get(slug="moda"), published=True)
    make.TournamentFactory(event=event, state=state, settings=chosen)
    games = {}
    for number, made in enumerate(rounds, 1):
        times = {"published_at": None if made == "s" else EVENING}
        times |= {"opened_at": None if made == "s" else EVENING}
        times |= {"closed_at": EVENING if made == "c" else None}
        stage = ("", "semi-final", "final")[max(0, number - 2)] if "finals" in chosen else ""
        round_ = make.RoundFactory(event=event, number=number, stage=stage, **times)
        games[number] = make.TableFactory(round=round_).games.get()
    evening = make.TableFactory(
        round__event__club=event.club, round__event__published=True
    ).games.get()
    seat = games[1].seats.first().player
    Player.objects.filter(pk=seat.pk).update(account=visitors["stranger"])
    elsewhere = make.TableFactory(
        round=games[1].table.round, players=("A", "B", "C", "D")
    ).games.get()

    # No other round but the last can be hidden.
    for number in {1, len(rounds)}:
        game = games[number]
        may = ["stranger", "director", "owner"] if number in hidden else VISITORS
        assert those_for_whom(visitors, Game.objects.results_visible_to, game) == may
        assert those_for_whom(visitors, Game.objects.seen_by, game) == may
        seats = Seat.objects.results_visible_to
        assert those_for_whom(visitors, seats, game.seats.last()) == may
    others = ["director", "owner"] if 1 in hidden else VISITORS
    assert those_for_whom(visitors, Game.objects.results_visible_to, elsewhere) == others
    assert those_for_whom(visitors, Game.objects.results_visible_to, evening) == VISITORS
    assert those_for_whom(visitors, Game.objects.results_visible_to, GameFactory()) == VISITORS
    told = [row.number for row in event.rounds.with_hiding() if row.hides_results]
    assert told == hidden


def writable(game):
    return lambda user: Game.objects.writable_at(game.public_id, game.secret("write"), user)


def first_writable(game, secret=None):
    """Who finds the game by the shorter way that deals take."""
    find = Game.objects.first_writable_at
    secret = game.secret("write") if secret is None else secret
    return lambda user: Game.objects.filter(pk=getattr(find(game.public_id, secret, user), "pk", 0))


def test_sheet_is_written_by_whoever_has_its_address_and_in_a_closed_round_by_directors_only(
    club, visitors
):
    game = make.TableFactory(round__event__club=club).games.get()
    closed = Game.objects.closed_at

    assert those_for_whom(visitors, writable(game), game) == VISITORS
    assert those_for_whom(visitors, first_writable(game), game) == VISITORS
    assert not closed(game.public_id, game.secret("write")).exists()
    assert Game.objects.takeable_at(game.public_id, game.secret("pen")).get() == game

    Round.objects.update(closed_at=EVENING)

    assert those_for_whom(visitors, writable(game), game) == ["director", "owner"]
    assert those_for_whom(visitors, first_writable(game), game) == ["director", "owner"]
    assert closed(game.public_id, game.secret("write")).get() == game
    # Its pen is taken by nobody.
    assert not Game.objects.takeable_at(game.public_id, game.secret("pen")).exists()


def test_director_needs_the_address_of_the_sheet_too(club, visitors):
    table = make.TableFactory(round__event__club=club, round__closed_at=EVENING)
    game, other = table.games.get(), make.TableFactory(round=table.round).games.get()

    for secret in (other.secret("write"), game.secret("follow"), ""):
        for rows in (Game.objects.writable_at, Game.objects.closed_at):
            assert not rows(game.public_id, secret).exists()
        assert not Game.objects.writable_at(game.public_id, secret, visitors["owner"]).exists()
        assert those_for_whom(visitors, first_writable(game, secret), game) == []


LOOKUPS = {
    "write": Game.objects.writable_at,
    "pen": Game.objects.takeable_at,
    "follow": Game.objects.readable_at,
}


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_address_opens_what_is_of_its_kind_only_and_nothing_with_a_wrong_secret(lookup):
    GameFactory()
    game, find = GameFactory(), LOOKUPS[lookup]

    for kind in LOOKUPS:
        found = list(find(game.public_id, game.secret(kind)))
        assert found == ([game] if lookup == kind else [])
    secret = game.secret(lookup)
    for wrong in (secret.swapcase(), secret[:-1], "", "ğ"):
        assert not find(game.public_id, wrong).exists()
    for name in ("", "\0", "ğ", "x" * 500):
        assert not find(name, "x" * 24).exists()
        assert not Game.objects.once_writable_at(name, "x" * 24).exists()
        assert not Game.objects.taken_with(name, "other-phone").exists()


def test_address_depends_on_the_secret_of_the_server(settings):
    game = GameFactory()
    before = game.secret("write")

    old, settings.SECRET_KEY = settings.SECRET_KEY, "another server"

    assert not Game.objects.writable_at(game.public_id, before).exists()
    settings.SECRET_KEY_FALLBACKS = ["one before", old]
    assert Game.objects.writable_at(game.public_id, before).exists()


def test_address_of_the_pen_is_revoked_when_the_pen_is_taken():
    game = GameFactory()
    before = {kind: game.secret(kind) for kind in ("write", "pen")}

    taken = playing.hand_over(game.pk, 1, "other-phone", at=EVENING)

    for kind, secret in before.items():
        assert not LOOKUPS[kind](game.public_id, secret).exists()
        assert LOOKUPS[kind](game.public_id, taken.secret(kind)).get() == game


def test_address_to_follow_is_revoked_by_its_own_generation_only():
    game = GameFactory()
    write, follow = game.secret("write"), game.secret("follow")

    Game.objects.filter(pk=game.pk).update(follow_generation=2)

    assert not Game.objects.readable_at(game.public_id, follow).exists()
    assert Game.objects.writable_at(game.public_id, write).get() == game


def test_once_writable_looks_back_over_ten_hands():
    game = GameFactory()
    secrets = []
    for generation in range(1, 13):
        secrets.append(game.secret("write"))
        game = playing.hand_over(game.pk, generation, f"phone-{generation}", at=EVENING)

    known = [Game.objects.once_writable_at(game.public_id, secret).exists() for secret in secrets]

    assert known == [False, False, *[True] * 10]
    assert not Game.objects.once_writable_at(game.public_id, game.secret("write")).exists()
