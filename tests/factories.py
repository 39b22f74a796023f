"""Games, writes and reports for tests; games are started and written through the services."""

from datetime import UTC, datetime

import factory
from django.utils import timezone

from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, HouseRuleset, Report, User, Write
from tournaments.models.reports import KEPT_FOR
from tournaments.queries.sheets import Sheet, load_sheet
from tournaments.services.play import playing

EVENING = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
NAMES = ("Ayşe", "Burak", "Cem", "Deniz")


def deal(contract, *counts, **fields):
    """A deal of a contract with one unit, as it stands in a record."""
    unit = UNIT_OF[contract]
    return {"type": "deal", "contract": contract, **fields, "counts": {unit: list(counts)}}


UNIT_OF = {
    "no-tricks": "tricks",
    "no-hearts": "hearts",
    "no-men": "men",
    "no-queens": "queens",
    "heart-king": "heart_king",
    "last-two": "last_two",
    "trump": "tricks",
}

# The whole game of docs/rules.md §1.1: it ends 540/−110/−330/−100.
WHOLE_GAME = (
    deal("heart-king", 0, 0, 1, 0),
    deal("no-queens", 1, 0, 2, 1),
    deal("no-men", 2, 1, 3, 2),
    deal("trump", 2, 3, 1, 7, trump="spades"),
    deal("no-tricks", 2, 5, 3, 3),
    deal("trump", 1, 8, 4, 0, trump="hearts"),
    deal("no-hearts", 0, 6, 4, 3),
    deal("last-two", 1, 0, 0, 1),
    deal("trump", 7, 2, 2, 2, trump="diamonds"),
    deal("no-queens", 0, 3, 0, 1),
    deal("trump", 3, 3, 6, 1, trump="clubs"),
    deal("heart-king", 0, 1, 0, 0),
    deal("no-men", 1, 4, 0, 3),
    deal("no-tricks", 4, 2, 6, 1),
    deal("last-two", 0, 0, 2, 0),
    deal("no-hearts", 0, 2, 5, 6),
    deal("trump", 6, 4, 1, 2),
    deal("trump", 2, 7, 3, 1),
    deal("trump", 3, 1, 8, 1),
    deal("trump", 2, 0, 4, 7),
)


class HeadFactory(factory.Factory):
    """What a table agrees on before the first deal."""

    class Meta:
        model = playing.Head

    ruleset = "turkish-king"
    players = NAMES
    first_declarer = 0


class PenFactory(factory.Factory):
    """A write by whoever holds the phone, each with a key of its own."""

    class Meta:
        model = playing.Pen

    key = factory.Sequence(lambda n: f"phone-key-{n:06}")
    revision = 0
    at = EVENING
    author = "Ayşe"


class GameFactory(factory.Factory):
    """A game started through its service; `entries=` are then recorded one by one."""

    class Meta:
        model = Game

    head = factory.SubFactory(HeadFactory)
    at = EVENING
    entries = ()

    @classmethod
    def _create(cls, model_class, head, at, entries, **rest):
        game = playing.start_game(head, at=at, **rest)
        for body in entries:
            record(game, body)
        return game


class WriteFactory(factory.django.DjangoModelFactory):
    """A row put past the service, to see what the database itself refuses."""

    class Meta:
        model = Write

    game = factory.SubFactory(GameFactory)
    revision = factory.Sequence(lambda n: n + 1)
    key = factory.Sequence(lambda n: f"row-key-{n:06}")
    kind = "entry"
    position = 0
    body = factory.LazyFunction(lambda: dict(WHOLE_GAME[0]))
    at = EVENING


class ReportFactory(factory.django.DjangoModelFactory):
    """A document asked for."""

    class Meta:
        model = Report

    kind = "scoresheet"
    game = factory.SubFactory(GameFactory)
    language = "tr"
    content_key = factory.Sequence(lambda n: f"{n:064}")
    asked_at = EVENING
    touched_at = EVENING
    expires_at = factory.LazyFunction(lambda: timezone.now() + KEPT_FOR)


class UserFactory(factory.django.DjangoModelFactory):
    """Someone who can sign in; an organiser with `is_staff`."""

    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"organiser{n}")
    is_staff = True


class HouseRulesetFactory(factory.django.DjangoModelFactory):
    """House rules like a ruleset of the program, under a name and slug of their own."""

    class Meta:
        model = HouseRuleset

    class Params:
        base = "turkish-king"

    slug = factory.Sequence(lambda n: f"house-{n}")
    name = "Moda rules"
    document = factory.LazyAttribute(
        lambda o: write_ruleset(RULESETS[o.base]) | {"id": o.slug, "name": o.name}
    )
    changed_at = EVENING


def record(game: Game, body) -> Sheet:
    """Write one more entry at the revision the game is at."""
    game.refresh_from_db()
    return playing.record_entry(game.pk, body, PenFactory(revision=game.revision))


def reload(game: Game) -> Sheet:
    """The sheet as the database has it now."""
    return load_sheet(Game.objects.get(pk=game.pk))
