"""Games, writes and reports for tests; games are started and written through the services."""

from datetime import UTC, datetime

import factory
from django.utils import timezone

from tests.deals import NAMES, WHOLE_GAME
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, GamePhoto, HouseRuleset, Report, Revision, User
from tournaments.models.reports import KEPT_FOR
from tournaments.queries.sheets import Sheet, load_sheet
from tournaments.services.games import playing, tables, writing

EVENING = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)


class SetupFactory(factory.Factory):
    class Meta:
        model = playing.GameSetup

    ruleset = "turkish-king"
    players = NAMES
    first_declarer = 0


class ContextFactory(factory.Factory):
    """A write by whoever holds the phone, each with a key of its own."""

    class Meta:
        model = writing.WriteContext

    key = factory.Sequence(lambda n: f"phone-key-{n:06}")
    revision = 0
    at = EVENING
    author = "Ayşe"


class GameFactory(factory.Factory):
    """A game started through its service; `entries=` are then recorded."""

    class Meta:
        model = Game

    head = factory.SubFactory(SetupFactory)
    at = EVENING
    entries = ()

    @classmethod
    def _create(cls, model_class, head, at, entries, start=tables.start_table, **rest):
        game = start(head, at=at, **rest)
        record_all(game, entries)
        return game


class RevisionFactory(factory.django.DjangoModelFactory):
    """A row put past the service, to see what the database itself refuses."""

    class Meta:
        model = Revision

    game = factory.SubFactory(GameFactory)
    revision = factory.Sequence(lambda n: n + 1)
    key = factory.Sequence(lambda n: f"row-key-{n:06}")
    kind = "entry"
    position = 0
    body = factory.LazyFunction(lambda: dict(WHOLE_GAME[0]))
    at = EVENING


class ReportFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Report

    kind = "scoresheet"
    game = factory.SubFactory(GameFactory)
    language = "tr"
    content_key = factory.Sequence(lambda n: f"{n:064}")
    asked_at = EVENING
    touched_at = EVENING
    expires_at = factory.LazyFunction(lambda: timezone.now() + KEPT_FOR)


def reading_of(entries, totals=(540, -110, -330, -100), **changes):
    """What a reader would say of a sheet; `changes` are those of rows, as `row3={…}`."""
    rows = [
        {
            "contract": entry["contract"],
            "trump": entry.get("trump", ""),
            "contract_probability": 0.999,
            "contract_is_doubtful": False,
            "counts": counts,
            "probabilities": [0.999] * len(counts),
            "read": counts,
            "doubtful": [],
            "changed": [],
            "sum_is_wrong": False,
            "boxes": [[350 + 120 * side, 180 + 40 * number, 56, 34] for side in range(len(counts))],
            "contract_box": [74, 180 + 40 * number, 250, 34],
        }
        | changes.get(f"row{number}", {})
        for number, entry in enumerate(entries)
        for counts in entry["counts"].values()
    ]
    boxes = [[350 + 120 * side, 1030, 110, 34] for side in range(len(totals))]
    found = zip(totals, boxes, strict=True)
    totals = [{"value": total, "probability": 0.999, "box": box} for total, box in found]
    return {"rows": rows, "totals": totals, "is_of_game": True, "size": [840, 1188]}


class GamePhotoFactory(factory.django.DjangoModelFactory):
    """A photo of the paper sheet of a whole game, read for sure."""

    class Meta:
        model = GamePhoto

    game = factory.SubFactory(GameFactory)
    state = "read"
    page = b"a page"
    reading = factory.LazyFunction(lambda: reading_of(WHOLE_GAME))
    added_at = factory.LazyFunction(timezone.now)


class UserFactory(factory.django.DjangoModelFactory):
    """Someone who can sign in; an organiser with `is_staff`."""

    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"organiser{n:05}")
    is_staff = True


class HouseRulesetFactory(factory.django.DjangoModelFactory):
    """House rules like a ruleset of the program, under a name and slug of their own."""

    class Meta:
        model = HouseRuleset

    class Params:
        base = "turkish-king"

    slug = factory.Sequence(lambda n: f"house-{n:05}")
    name = "Moda rules"
    document = factory.LazyAttribute(
        lambda o: write_ruleset(RULESETS[o.base]) | {"id": o.slug, "name": o.name}
    )
    changed_at = EVENING


def record(game: Game, body, **context) -> Sheet:
    game.refresh_from_db()
    context = ContextFactory(revision=game.revision, **context)
    return playing.record_entry(game.pk, parse_entry(body), context)


def record_all(game: Game, bodies) -> None:
    if bodies:
        game.refresh_from_db()
        context = ContextFactory(revision=game.revision)
        playing.record_entries(game.pk, map(parse_entry, bodies), context)
        game.refresh_from_db()


def reload(game: Game) -> Sheet:
    return load_sheet(Game.objects.get(pk=game.pk))


def log(game: Game) -> list[tuple]:
    rows = Revision.objects.filter(game_id=game.pk).order_by("revision")
    return [(w.revision, str(w.kind), w.position, w.body, w.author, w.reason) for w in rows]
