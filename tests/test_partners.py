"""What holds for the first of a pair holds for the partner."""

import json

import pytest
from django.urls import reverse

from tests.api.conftest import Program
from tests.club_factories import ClubFactory
from tests.deals import deal
from tests.factories import EVENING
from tests.tournament_builders import closed, opened, running
from tests.web.members import member_of
from tests.web.standings.shown import page
from tournaments.models import Event, Player, Report, Subscription, Tournament
from tournaments.queries.overview import players_offered
from tournaments.reports.players import player_season
from tournaments.services.audit import NOBODY
from tournaments.services.entrants import registration
from tournaments.services.entrants.registration import EntrantsRefused, Entry
from tournaments.services.entrants.substituting import Place, TakesPart, put_substitute
from tournaments.services.people.changes import remove_player
from tournaments.services.people.export import export_player

PAIRS = [Entry("Ada", "Bora"), Entry("Cem", "Deniz"), Entry("Efe", "Fulya"), Entry("Gül", "Hale")]
PLAYED = [{**deal("no-queens", 3, 1), "declarer": 0}, {"type": "stopped", "reason": "time"}]
NOW = {"by": NOBODY, "at": EVENING}


@pytest.fixture
def row(db):
    club = ClubFactory(published=True)
    row = running(*PAIRS, club=club, ruleset="turkish-king-partners", rounds=2)
    Event.objects.update(published=True)
    return row


def pair(row):
    return row.entrants.get(number=1)


def is_said_to_sit_on_after_withdrawing(row, player):
    opened(row)
    registration.withdraw_entrant(pair(row).pk, **NOW)
    looker = member_of(row.event.club, "director")
    told = page(looker, row, "running", 1).text.partition(" has withdrawn and still sits here")
    return player.name in told[0][-20:] and bool(told[1])


def is_offered_to_nobody(row, player):
    return player not in players_offered(row.event.club, row)["others"]


def is_registered_once(row, player):
    with pytest.raises(EntrantsRefused):
        registration.register_entrants(row.pk, [Entry("Zeki", player.name)], **NOW)
    return True


def finds_the_pair_again_by_the_link(row, player):
    Tournament.objects.update(state="registration")
    other = next(each for each in pair(row).players if each != player)
    found = registration.register_by_link(row.pk, Entry(player.name, other.name), **NOW)
    return found == pair(row)


def is_no_substitute(row, player):
    other = row.entrants.get(number=2)
    with pytest.raises(TakesPart):
        put_substitute(Place(other.pk, 1, other.player_id), player.name, **NOW)
    return True


def notified(row):
    at = {"phone": "1", "endpoint": "https://push.example/1", "p256dh": "k", "auth": "a"}
    Subscription.objects.create(entrant=pair(row), language="tr", created_at=EVENING, **at)


def reads_everything_about_them(row, player):
    notified(row)
    with export_player(player.pk, **NOW) as file:
        document = json.load(file)
    return len(document["tournaments"]) == len(document["notifications"]) == 1


def is_notified_no_more_once_removed(row, player):
    notified(row)
    remove_player(player.pk, **NOW)
    return not Subscription.objects.exists()


def opens_with_the_own_card(row, player):
    looker = member_of(row.event.club)
    player.account = looker.get("/").wsgi_request.user
    player.save()
    return page(looker, row, "tournament").context["card"]["number"] == 1


def is_found_at_the_door(row, player):
    looker = member_of(row.event.club, "director")
    own = Player.objects.get(name="Hale")
    own.account = looker.get("/").wsgi_request.user
    own.save()
    at = looker.get(reverse("claim", args=[player.public_id, player.claim_secret]))
    return at.url.endswith("?q=1")


def is_listed_to_everybody(row, player):
    found = Program().get(f"clubs/{row.event.club.slug}/players/").json()["results"]
    return player.name in [each["name"] for each in found]


def has_a_place_in_the_own_season(row, player):
    closed(row, PLAYED)
    Tournament.objects.update(state="finished")
    asked = Report(kind="player-season", club=row.event.club, player=player, format="csv")
    return len(player_season(asked, lambda *_steps: None)["tournaments"]) == 1


@pytest.mark.parametrize("place", [0, 1], ids=["first", "partner"])
@pytest.mark.parametrize(
    "holds",
    [
        is_said_to_sit_on_after_withdrawing,
        is_offered_to_nobody,
        is_registered_once,
        finds_the_pair_again_by_the_link,
        is_no_substitute,
        reads_everything_about_them,
        is_notified_no_more_once_removed,
        opens_with_the_own_card,
        is_found_at_the_door,
        is_listed_to_everybody,
        has_a_place_in_the_own_season,
    ],
)
def test_partner_is_one_of_the_pair(row, holds, place):
    assert holds(row, pair(row).players[place])
