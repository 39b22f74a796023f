"""Kept sums are used while they hold, and equal those of the games after whatever changes them."""

from dataclasses import replace
from datetime import date

import pytest
from django.db import OperationalError
from django.utils import timezone

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory
from tests.kept_sums import keep_sums
from tournaments.models import Event, Game, KeptSums, Tournament
from tournaments.queries.players import add_up, games_of, meetings, seats_beside
from tournaments.services.audit import NOBODY
from tournaments.services.games.playing import withdraw_entry
from tournaments.services.games.tables import rebuild_result
from tournaments.services.people.merging import merge_players, undo_merge

pytestmark = pytest.mark.django_db

NAMES = ("Şule", "Burak", "Cem", "Deniz")


@pytest.fixture
def player():
    """A player with games of three years and two seasons; one is not over."""
    club = make.ClubFactory()
    for day, names in (
        (date(2020, 1, 1), NAMES),
        (date(2026, 3, 1), (NAMES[3], *NAMES[:3])),
        (date(2026, 4, 1), NAMES),
        (timezone.localdate(), NAMES),
    ):
        event = make.EventFactory(club=club, held_on=day, season=make.SeasonFactory(club=club))
        make.TableFactory(round=make.RoundFactory(event=event), players=names, entries=WHOLE_GAME)
    make.TableFactory(
        round=make.RoundFactory(event=make.EventFactory(club=club)),
        players=NAMES,
        entries=WHOLE_GAME[:2],
    )
    return club.players.get(name="Şule")


def plain(sums):
    """Sums that can be compared: kept games are without contracts and badges."""
    ends = {name: getattr(sums, name) and getattr(sums, name).pk for name in ("best", "worst")}
    return replace(sums, met={}, **ends)


def fresh(player):
    games = games_of(player, None)
    return plain(add_up(games)), meetings(games, seats_beside(player))


def kept(player):
    history = keep_sums(player)
    return plain(history), history.met


def test_kept_sums_are_those_of_the_games_and_only_new_games_are_read(
    player, django_assert_num_queries
):
    first = kept(player)
    assert KeptSums.objects.filter(player=player).count() == 4

    # The parts, the merges, what is kept, and the games of today.
    with django_assert_num_queries(5):
        again = kept(player)

    assert first == again == fresh(player)


def test_page_for_everybody_keeps_nothing(player):
    history = keep_sums(player, keep=False)

    assert (plain(history), history.met) == fresh(player)
    assert not KeptSums.objects.exists()


def withdrawn(player):
    game = Game.objects.order_by("pk")[0]
    withdraw_entry(game.pk, 19, "never played", ContextFactory(revision=game.revision))


def other_result(player):
    game = Game.objects.order_by("pk")[0]
    Game.objects.filter(pk=game.pk).update(result={**game.result, "totals": [30, -10, -10, -10]})
    keep_sums(player)
    KeptSums.objects.update(version="none")
    keep_sums(player)
    rebuild_result(game.pk)


def merged(player):
    other = make.PlayerFactory(club=player.club, name="Cem Y.")
    merge_players(other.pk, player.club.players.get(name="Cem").pk, NOBODY, at=EVENING)


def merged_and_parted(player):
    other = make.PlayerFactory(club=player.club, name="Cem Y.")
    cem = player.club.players.get(name="Cem")
    merge = merge_players(other.pk, cem.pk, NOBODY, at=EVENING)
    keep_sums(player)
    undo_merge(merge.pk, NOBODY, at=EVENING)


def other_season(player):
    Event.objects.update(season=make.SeasonFactory(club=player.club))


def cancelled(player):
    for event in Event.objects.all()[:2]:
        make.TournamentFactory(event=event, cancelled_at=EVENING, state=Tournament.State.FINISHED)


def deleted(player):
    Game.objects.order_by("pk")[1].delete()


@pytest.mark.parametrize(
    "change", [withdrawn, other_result, merged, merged_and_parted, other_season, cancelled, deleted]
)
def test_sums_follow_what_changes(player, change):
    before = kept(player)

    change(player)

    assert kept(player) == fresh(player)
    assert before != fresh(player) or change in (other_result, merged_and_parted, other_season)


def test_page_is_shown_where_nothing_can_be_stored(player, monkeypatch):
    def full(*_args, **_more):
        raise OperationalError("disk full")

    monkeypatch.setattr(type(KeptSums.objects.all()), "bulk_create", full)

    assert kept(player) == fresh(player)
    assert not KeptSums.objects.exists()
