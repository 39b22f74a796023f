import pytest

from tests.factories import EVENING, GameFactory
from tournaments.models import Game
from tournaments.services.games import playing

pytestmark = pytest.mark.django_db

LOOKUPS = {
    "write": Game.objects.writable_at,
    "pen": Game.objects.takeable_at,
    "follow": Game.objects.readable_at,
}
ALL_PAIRS = [(lookup, kind) for lookup in LOOKUPS for kind in LOOKUPS]


@pytest.mark.parametrize(("lookup", "kind"), ALL_PAIRS)
def test_address_opens_what_is_of_its_kind_only(lookup, kind):
    GameFactory()
    game = GameFactory()

    found = list(LOOKUPS[lookup](game.public_id, game.secret(kind)))

    assert found == ([game] if lookup == kind else [])


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize("change", [str.swapcase, lambda s: s[:-1], lambda s: "", lambda s: "ğ"])
def test_address_with_a_wrong_secret_opens_nothing(lookup, change):
    game = GameFactory()

    assert not LOOKUPS[lookup](game.public_id, change(game.secret(lookup))).exists()


def test_address_depends_on_the_secret_of_the_server(settings):
    game = GameFactory()
    before = game.secret("write")

    old, settings.SECRET_KEY = settings.SECRET_KEY, "another server"

    assert not Game.objects.writable_at(game.public_id, before).exists()
    settings.SECRET_KEY_FALLBACKS = ["one before", old]
    assert Game.objects.writable_at(game.public_id, before).exists()


@pytest.mark.parametrize("kind", ["write", "pen"])
def test_address_of_the_pen_is_revoked_when_the_pen_is_taken(kind):
    game = GameFactory()
    before = game.secret(kind)

    taken = playing.hand_over(game.pk, 1, "other-phone", at=EVENING)

    assert not LOOKUPS[kind](game.public_id, before).exists()
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


@pytest.mark.parametrize(
    "lookup", ["writable_at", "takeable_at", "readable_at", "once_writable_at"]
)
@pytest.mark.parametrize("name", ["", "\0", "ğ", "x" * 500])
def test_address_with_anything_for_a_name_opens_nothing(lookup, name):
    assert not getattr(Game.objects, lookup)(name, "x" * 24).exists()
    assert not Game.objects.taken_with(name, "other-phone").exists()
