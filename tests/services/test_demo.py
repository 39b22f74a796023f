import json
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tournaments import models
from tournaments.engine.documents.verify import verify
from tournaments.management.commands.seed_demo import PASSWORD
from tournaments.queries.sheets import load_sheets, result_of
from tournaments.queries.state import load_state
from tournaments.services.checks.nights import look_at_all
from tournaments.services.games.playing import agreement_on

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="module")
def club(django_db_setup, django_db_blocker):
    """The club, made once for all tests of the module, which only look at it."""
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("seed_demo", stdout=StringIO())
        # A server looks at its tables by itself; here it last saw them empty, and plans for that.
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        yield models.Club.objects.get(slug="moda")
        transaction.set_rollback(True)


def test_club_has_players_seasons_and_tournaments_in_every_state(club):
    today = timezone.localdate()

    assert club.players.present().count() == 60
    assert models.Season.objects.filter(club=club, ends_on__lt=today).count() == 2
    for season in models.Season.objects.filter(club=club, ends_on__lt=today):
        events = models.Event.objects.filter(season=season)
        assert events.filter(tournament=None).count() >= 5
        assert events.filter(tournament__state="finished").count() == 3
        assert not models.Round.objects.filter(event__season=season, closed_at=None).exists()
    states = models.Tournament.objects.filter(event__club=club).values_list("state", flat=True)
    assert set(states) == {"draft", "registration", "running", "finished"}
    assert not models.Event.objects.filter(club=club, season=None).exists()
    assert models.Tournament.objects.filter(event__ruleset="euchre", state="finished").count() == 2
    assert club.players.exclude(account=None).count() == 10


def test_every_game_folds_and_is_as_its_writes_have_left_it(club):
    sheets = load_sheets(models.Game.objects.filter(table__round__event__club=club))

    assert len(sheets) > 250
    for sheet in sheets:
        assert sheet.row.revision == len(sheet.revisions) > 0
        assert sheet.row.result == result_of(sheet)
        assert sum(sheet.game.totals) == sheet.game.expected_sum


def test_games_of_closed_rounds_are_rated(club):
    of_club = models.PlayerRating.objects.filter(pool__club=club)

    assert {row.pool.family for row in of_club} == {"turkish-king", "euchre"}
    assert of_club.filter(pool__family="turkish-king").count() > 50
    assert models.PlayerRating.objects.filter(pool__club=None).count() == of_club.count()
    assert not models.RatingDue.objects.exists()
    assert list(look_at_all()) == []
    # The page of the calibration shows ratings that predict well.
    bins = of_club.filter(pool__family="turkish-king")[0].pool.calibration["bins"]
    apart = [above - predicted for _pairs, predicted, above in bins]
    assert len(bins) > 5
    assert sum(map(abs, apart)) < 0.05 * sum(pairs for pairs, *_rest in bins)


def test_exports_of_its_ten_tournaments_and_its_ratings_verify(club):
    rows = models.Tournament.objects.filter(event__club=club)
    documents = [json.loads(written("export_tournament", row.slug)) for row in rows]
    documents.append(json.loads(written("export_ratings", club.slug)))

    assert len(documents) == 11
    assert [document for document in documents if not verify(document).agrees] == []


def written(*words):
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_tournament_in_its_third_round_has_known_what_happens(club):
    third = models.Round.objects.get(event__club=club, event__tournament__state="running", number=3)
    games = models.Game.objects.filter(table__round=third).order_by("table__number")
    sheets = load_sheets(games.select_related("table").prefetch_related("confirmations"))
    finished = [sheet for sheet in sheets if sheet.game.finished]
    agreed = [
        agreement_on(sheet, third.event.confirmations, sheet.row.confirmations.all()).enough
        for sheet in finished
    ]
    silent = [s for s in sheets if timezone.now() - s.revisions[-1].at > timedelta(minutes=14)]

    assert True in agreed
    assert False in agreed
    assert len({len(sheet.game.deals) for sheet in sheets}) >= 5
    assert len([sheet for sheet in silent if not sheet.game.finished]) == 1
    assert third.tables.exclude(called_at=None).count() == 1
    assert [w.kind for s in sheets for w in s.revisions].count("correction") == 1
    course = load_state(third.event.tournament)
    assert [(each.row.state, len(each.byes)) for each in course.seated_rounds] == [
        ("closed", 1),
        ("closed", 1),
        ("open", 1),
    ]
    assert [row.key for row in course.entrants.values() if row.joins_in == 2] == ["e38"]
    assert [row.key for row in course.entrants.values() if row.withdrawn_at] == ["e5"]
    assert len(course.stand_ins) == 1
    assert [ruling.kind for each in course.results for ruling in each.rulings] == [
        "penalty",
        "adjusted",
    ]
    assert third.clock_started_at is not None


def test_owner_signs_in_with_the_password_that_is_printed_and_nothing_is_made_twice(club):
    before = models.AuditEntry.objects.count(), models.Game.objects.count()
    (password,) = re.findall(r"password is (\S+)", written("seed_demo", "--once"))
    client = Client()

    answer = client.post(
        reverse("account_login"), {"login": "owner@example.org", "password": password}
    )

    assert password == PASSWORD
    assert (answer.status_code, answer.url) == (302, "/")
    with pytest.raises(CommandError):
        written("seed_demo")
    assert (models.AuditEntry.objects.count(), models.Game.objects.count()) == before
