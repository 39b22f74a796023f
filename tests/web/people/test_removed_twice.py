import pytest
from django.test import Client
from django.urls import reverse

from tests.club_factories import (
    ClubFactory,
    MemberFactory,
    PlayerFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
)
from tournaments.models import AuditEntry


def _evening(club):
    event = RoundFactory(event__club=club).event
    return reverse("remove_event", args=["moda", event.public_id]), reverse("events", args=["moda"])


def _table(club):
    table = TableFactory(round__event__club=club)
    event = ["moda", table.round.event.public_id]
    return reverse("remove_table", args=[*event, table.public_id]), reverse("event", args=event)


def _season(club):
    season = SeasonFactory(club=club)
    return reverse("remove_season", args=["moda", season.pk]), reverse("seasons", args=["moda"])


def _member(club):
    user = MemberFactory(club=club).user
    return reverse("remove_member", args=["moda", user.pk]), reverse("people", args=["moda"])


def _player(club):
    player = PlayerFactory(club=club)
    away = reverse("remove_player", args=["moda", player.public_id])
    return away, reverse("players", args=["moda"])


@pytest.mark.parametrize("removal", [_evening, _table, _season, _member, _player])
def test_second_tap_on_a_removal_leads_where_the_first_did(client, removal):
    club = ClubFactory(slug="moda")
    client.force_login(MemberFactory(club=club, role="owner").user)
    path, parent = removal(club)

    first, lines = client.post(path), AuditEntry.objects.count()
    second = client.post(path)

    assert (first.status_code, first.url) == (second.status_code, second.url) == (302, parent)
    assert AuditEntry.objects.count() == lines
    stranger = Client()
    stranger.force_login(MemberFactory(club=club).user)
    assert stranger.post(path).status_code == 404
