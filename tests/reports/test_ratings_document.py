"""A club's exported ratings, verified by the program and computed again by hand from the docs."""

import copy
import json
import math
from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from django.core.management import call_command
from jsonschema import Draft202012Validator

from tests.deals import NAMES, deal
from tests.engine.documents.schemas import PUBLISHED, REGISTRY
from tests.factories import EVENING
from tests.match_builders import won_by
from tests.services.ratings.rating_world import HALF_PLACES, STOPPED, World
from tests.services.ratings.test_computing import lay
from tournaments.engine.documents.games import digest_of_document
from tournaments.engine.documents.verify import verify
from tournaments.models import Game, PlayerRating
from tournaments.reports.ratings import ratings_document
from tournaments.services.audit import NOBODY
from tournaments.services.events.events import close_round
from tournaments.services.ratings import fitting
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.ratings.fitting import fit_pools

from tests.club_factories import EventFactory, RoundFactory, TournamentFactory  # isort: skip

pytestmark = pytest.mark.django_db


# From docs/ratings.md alone: nothing of the engine is imported here.


def by_hand(pool):
    """Ratings before and after each game, per seat, and the ratings at the end."""
    start, fitted = pool["constants"]["start"], pool["constants"]["luck"]
    players, spreads, games = {}, {}, []
    for game in pool["games"]:
        scores = scores_by_hand(game["totals"], game["ranks"])
        number, total = spreads.get(game["ruleset"], (0, 0.0))
        if game.get("counts") == "half-places":
            width = math.sqrt(total / number) if number else math.sqrt(squares_of(scores))
            places = scores_by_hand(PLACES[len(scores)], game["ranks"])
            scores = [(one + width * other) / 2 for one, other in zip(scores, places, strict=True)]
        number, total = number + 1, total + squares_of(scores)
        spreads[game["ruleset"]] = number, total
        unit = fitted.get(game["ruleset"])
        if unit is None:
            unit = math.sqrt(total / number / (1 + start / (212.0 * 212.0)))
        at = datetime.fromisoformat(game["at"])
        before = [before_by_hand(players, seat, at, start) for seat in game["seats"]]
        after = after_by_hand(before, game["sides"], scores, unit)
        row = []
        for seat, old, new in zip(game["seats"], before, after, strict=True):
            row.append(seat and {"player": seat["player"], "before": old, "after": new})
            if seat:
                played = players.get(seat["player"], (None, None, 0))[2]
                players[seat["player"]] = new, at, played + 1
        games.append(row)
    return games, {who: (rating, games) for who, (rating, _at, games) in players.items()}


PLACES = {2: [0.7071, -0.7071], 3: [1.0, 0.0, -1.0], 4: [1.177, 0.34, -0.34, -1.177]}


def squares_of(scores):
    squares = 0.0
    for score in scores:
        squares += score * score
    return squares / (len(scores) - 1)


def scores_by_hand(totals, ranks):
    points = sorted((float(Fraction(total)) for total in totals), reverse=True)
    mean = 0.0
    for each in points:
        mean += each
    mean /= len(points)
    scores = []
    for rank in ranks:
        shared = 0.0
        for each in points[rank - 1 : rank - 1 + ranks.count(rank)]:
            shared += each
        scores.append(shared / ranks.count(rank) - mean)
    return scores


def before_by_hand(players, seat, at, start):
    if seat is None or seat["player"] not in players:
        return [1500.0, start]
    (mean, variance), last, _games = players[seat["player"]]
    days = max(0.0, (at - last).total_seconds() / 86400)
    return [mean, min(start, variance + 5.0 * (start / 11236.0) * days)]


def after_by_hand(before, sides, scores, unit):
    if unit == 0:
        return before
    weights, surprises, sizes = [], [], []
    for side, score in enumerate(scores):
        members = [rating for rating, of in zip(before, sides, strict=True) if of == side]
        size, means, variances = len(members), 0.0, 0.0
        for mean, variance in members:
            means += mean
            variances += variance
        weights.append(1 / (variances / (size * size) + 212.0 * 212.0))
        surprises.append(score * 212.0 / unit - means / size)
        sizes.append(size)
    whole = together = 0.0
    for weight, surprise in zip(weights, surprises, strict=True):
        whole += weight
        together += weight * surprise
    common = together / whole
    after = []
    for (mean, variance), side in zip(before, sides, strict=True):
        shared = variance / sizes[side]
        gain = shared * weights[side]
        known = gain * shared * (1 - weights[side] / whole)
        after.append([mean + gain * (surprises[side] - common), variance - known])
    return after


# The rest uses the program.


@pytest.fixture(params=(3, 6))
def club(request, monkeypatch):
    """A club in which anything has happened, with games of pairs, of two, and fitted constants."""
    world = World(request.param)
    for _ in range(50):
        world.happen()
    club = world.clubs[0]
    # Chance need not give a game of half places.
    places = TournamentFactory(event__club=club, state="running", settings=HALF_PLACES)
    round_ = RoundFactory(event=places.event)
    lay(round_, "turkish-king", NAMES, deal("no-tricks", 1, 3, 4, 5), STOPPED)
    close_round(round_.pk, NOBODY, at=EVENING + timedelta(days=2990))
    for month in range(3):
        round_ = RoundFactory(event=EventFactory(club=club))
        lay(round_, "krapet", NAMES[:2], won_by(month % 2))
        queens = {**deal("no-queens", 1 + month, 3 - month), "declarer": 0}
        lay(round_, "turkish-king-partners", NAMES, queens, STOPPED)
        five = {"type": "deal", "contract": "no-queens", "counts": {"queens": [0, 1, 3, 0, 0]}}
        lay(round_, "king-five", [*NAMES, "Five"], five, STOPPED)
        close_round(round_.pk, NOBODY, at=EVENING + timedelta(days=3000 + 40 * month, hours=1))
    club.rates_evenings = True
    club.save()
    sweep_ratings()
    monkeypatch.setattr(fitting, "FROM_GAMES", 4)
    monkeypatch.setattr("tournaments.engine.ratings.fitting.FROM_GAMES_OF_RULESET", 4)
    fit_pools(EVENING)
    sweep_ratings()
    return club


def test_exported_ratings_are_those_of_the_document_computed_by_hand(club, tmp_path):
    file = tmp_path / "ratings.json"
    call_command("export_ratings", club.slug, output=str(file))
    document = json.loads(file.read_text())

    Draft202012Validator(PUBLISHED["kingscore-ratings-1.json"], registry=REGISTRY).validate(
        document
    )
    versions = {pool["family"]: pool["constants"]["version"] for pool in document["pools"]}
    assert versions == {"krapet": 0, "turkish-king": 1}
    counts = [game.get("counts") for pool in document["pools"] for game in pool["games"]]
    assert {*counts} == {None, "half-places"}
    for pool in document["pools"]:
        games, players = by_hand(pool)
        assert [game["seats"] for game in pool["games"]] == games
        assert {row["player"]: (row["rating"], row["games"]) for row in pool["ratings"]} == players
    digests = {game["digest"] for pool in document["pools"] for game in pool["games"]}
    assert digests <= set(Game.objects.values_list("digest", flat=True))
    assert verify(document).agrees
    call_command("verify", str(file))

    # What is altered behind the program is found where it is.
    row = PlayerRating.objects.filter(pool__club=club).latest("last_at")
    change = row.changes.last()
    row.changes.filter(pk=change.pk).update(mean=change.mean + 1e-9)
    found = [point for point in verify(ratings_document(club)).points if point.outcome != "same"]
    assert [point.what for point in found] == ["rating", "current-rating"]
    stated, computed = found[0].params["stated"], found[0].params["computed"]
    [seat] = [pair for pair in zip(stated, computed, strict=True) if pair[0] != pair[1]]
    assert seat[0]["before"] == seat[1]["before"]


def places_of_numbers(value, path=()):
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, part in items:
            yield from places_of_numbers(part, (*path, name))
    elif type(value) in (int, float):
        yield path


def kind_of(path):
    return tuple("#" if isinstance(name, int) else name for name in path)


@pytest.mark.parametrize("club", [3], indirect=True)
def test_any_number_that_was_altered_is_found_even_under_a_new_digest(club):
    document = ratings_document(club)
    assert verify(document).agrees
    missed = []
    # The first and the last of each field.
    paths = list(places_of_numbers(document))
    ends = {kind_of(path): path for path in paths}, {kind_of(path): path for path in paths[::-1]}
    for path in {*ends[0].values(), *ends[1].values()}:
        altered = copy.deepcopy(document)
        *way, last = path
        spot = altered
        for name in way:
            spot = spot[name]
        spot[last] = spot[last] + 1
        assert not verify(altered).agrees, path
        # The version is only a name, another model is not recomputed, and of two with equal points
        # one may stand before the other.
        if {"version", "program", "ranks"} & set(path):
            continue
        altered["digest"] = digest_of_document(altered)
        if verify(altered).agrees:
            missed.append(path)
    assert missed == []
