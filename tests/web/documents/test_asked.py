from datetime import date

import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    MemberFactory,
    SeasonFactory,
    TableFactory,
)
from tests.deals import WHOLE_GAME
from tournaments.models import Report

OCTOBER = date(2026, 10, 9)


@pytest.fixture
def club():
    club = ClubFactory(paper="us-letter")
    event = EventFactory(club=club, held_on=OCTOBER, season=SeasonFactory(club=club, name="2026"))
    TableFactory(round__event=event, entries=WHOLE_GAME)
    return club


@pytest.fixture
def member(client, club):
    client.force_login(MemberFactory(club=club).user)
    return client


def shape_of(report):
    return (report.kind, report.format, report.language, report.paper, report.audience)


def test_month_is_asked_for_on_the_page_of_numbers(member, club):
    page = member.get(f"/clubs/{club.slug}/records/").text
    assert '<option value="2026-10">October 2026</option>' in page

    answer = member.post(
        f"/clubs/{club.slug}/month/", {"month": "2026-10", "format": "xlsx", "language": "it"}
    )

    report = Report.objects.get()
    assert shape_of(report) == ("club-month", "xlsx", "it", "us-letter", "members")
    assert (report.club, report.parameters) == (club, {"month": "2026-10"})
    assert "October 2026" in member.get(answer.url).text


@pytest.mark.parametrize(
    "sent", [{"month": "2026-09", "format": "pdf"}, {"month": "2026-10", "format": "json"}]
)
def test_month_or_file_that_is_not_offered_is_not_there(member, club, sent):
    assert member.post(f"/clubs/{club.slug}/month/", sent).status_code == 404
    assert not Report.objects.exists()


def test_season_is_asked_for_as_the_page_of_the_player_shows_it(member, club):
    player, season = club.players.get(name="Ayşe"), club.seasons.get()
    at = f"/clubs/{club.slug}/players/{player.public_id}/"
    assert f'name="season" value="{season.pk}"' in member.get(f"{at}?season={season.pk}").text
    assert 'name="season"' not in member.get(at).text

    sent = {"season": season.pk, "game": "turkish-king", "format": "pdf"}
    answer = member.post(f"{at}document/", sent)

    report = Report.objects.get()
    assert shape_of(report) == ("player-season", "pdf", "en", "us-letter", "members")
    told_of = {"season": season.pk, "season_name": "2026", "game": "turkish-king"}
    assert (report.player, report.parameters) == (player, told_of)
    assert f'href="{at}"' in member.get(answer.url).text


def test_season_of_another_club_is_not_there(member, club):
    player = club.players.get(name="Ayşe")
    sent = {"season": SeasonFactory().pk, "format": "pdf"}

    answer = member.post(f"/clubs/{club.slug}/players/{player.public_id}/document/", sent)

    assert answer.status_code == 404
