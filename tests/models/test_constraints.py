"""What the database refuses by itself, constraint by constraint."""

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models
from django.utils import timezone

from tests.factories import GameFactory, HouseRulesetFactory, ReportFactory, WriteFactory
from tournaments.models import Game, Match

pytestmark = pytest.mark.django_db


def start_twice():
    """Two games under one start key."""
    for public_id in ("one", "two"):
        Game.objects.create(
            public_id=public_id, players=[], start_key="k", played_at="2026-11-20T19:30Z"
        )


def write_twice(**same):
    """Two writes of one game that share what is given."""
    game = GameFactory()
    WriteFactory(game=game, **same)
    WriteFactory(game=game, **same)


def match(length="best-of", number=3):
    return Match.objects.create(length=length, number=number, created_at=timezone.now())


def number_twice():
    """Two games that are both the first of one match."""
    of_match = match()
    for _ in range(2):
        update_game(match=of_match, match_number=1)


def update_game(**fields):
    """A head changed past the service."""
    Game.objects.filter(pk=GameFactory().pk).update(**fields)


REFUSED = {
    "game_generations_from_one": [
        lambda: update_game(write_generation=0),
        lambda: update_game(follow_generation=0),
    ],
    "game_first_declarer_is_a_seat": [lambda: update_game(first_declarer=4)],
    "game_one_per_start_key": [start_twice],
    "game_one_per_number": [number_twice],
    "game_number_in_its_match": [
        lambda: update_game(match_number=1),
        lambda: update_game(match=match()),
        lambda: update_game(match=match(), match_number=0),
    ],
    "match_length_known": [lambda: match(length="for-ever")],
    "match_of_one_game_or_more": [lambda: match(number=0)],
    "write_one_per_revision": [lambda: write_twice(revision=1)],
    "write_one_per_key": [lambda: write_twice(key="the-same-key")],
    "write_kind_known": [lambda: WriteFactory(kind="erasure")],
    "write_position_unless_head": [
        lambda: WriteFactory(kind="head", position=0),
        lambda: WriteFactory(kind="entry", position=None),
        lambda: WriteFactory(kind="correction", position=None),
        lambda: WriteFactory(kind="withdrawal", position=None, body=None),
    ],
    "write_body_unless_withdrawal": [
        lambda: WriteFactory(kind="withdrawal"),
        lambda: WriteFactory(kind="entry", body=None),
        lambda: WriteFactory(kind="correction", body=None),
        lambda: WriteFactory(kind="head", position=None, body=None),
    ],
    "write_key_not_empty": [lambda: WriteFactory(key="")],
    "write_revision_from_one": [lambda: WriteFactory(revision=0)],
    "report_state_known": [lambda: ReportFactory(state="lost")],
    "report_done_has_file": [lambda: ReportFactory(state="done")],
    "house_ruleset_has_a_slug": [lambda: HouseRulesetFactory(slug="")],
    "house_ruleset_has_a_name": [lambda: HouseRulesetFactory(name="")],
    "house_ruleset_revision_from_one": [lambda: HouseRulesetFactory(revision=0)],
}


def named_constraints():
    """Every constraint of the app's models, by name."""
    return {
        constraint.name: constraint
        for model in apps.get_app_config("tournaments").get_models()
        for constraint in model._meta.constraints
    }


def test_every_named_constraint_has_a_case_here():
    assert sorted(REFUSED) == sorted(named_constraints())


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, cases in REFUSED.items() for n in range(len(cases))]
)
def test_constraint_refuses_by_its_name(name, number):
    constraint = named_constraints()[name]
    sign = name
    if connection.vendor == "sqlite" and isinstance(constraint, models.UniqueConstraint):
        # SQLite names the columns of a unique index, not the index.
        sign = f".{constraint.fields[-1]}"

    with pytest.raises(IntegrityError) as refused:
        REFUSED[name][number]()

    assert sign in str(refused.value)


def test_two_games_never_share_a_public_id():
    game = GameFactory()

    with pytest.raises(IntegrityError, match="public_id"):
        Game.objects.create(public_id=game.public_id, players=[], played_at=game.played_at)


def test_two_reports_never_share_their_content():
    ReportFactory(content_key="x" * 64)

    with pytest.raises(IntegrityError, match="content_key"):
        ReportFactory(content_key="x" * 64)


def test_games_started_without_a_key_are_no_repeats_of_each_other():
    GameFactory()
    GameFactory()

    assert Game.objects.filter(start_key=None).count() == 2


def test_same_key_and_revision_may_stand_in_two_games():
    WriteFactory(revision=1, key="the-same-key")
    WriteFactory(revision=1, key="the-same-key")


def test_two_house_rulesets_never_share_a_slug():
    HouseRulesetFactory(slug="moda")

    with pytest.raises(IntegrityError, match="slug"):
        HouseRulesetFactory(slug="moda")
