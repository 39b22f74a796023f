"""How many queries each page of a list takes: as many for three rows as for one.

Pages whose rows take more to make are counted beside their other tests.
"""

import pytest

from tests import club_factories as make
from tests.counting import queries_of
from tests.deals import NAMES
from tests.factories import HouseRulesetFactory
from tests.program_factories import DeliveryFactory, WebhookFactory
from tournaments.models import Tournament, Webhook


def own_club(user):
    club = make.MemberFactory(user=user).club
    make.PlayerFactory(club=club, account=user)


def person(club):
    make.PlayerFactory(club=club, account=make.MemberFactory(club=club).user)
    make.InvitationFactory(club=club)


def event(club):
    round_ = make.RoundFactory(
        event=make.EventFactory(club=club, season=make.SeasonFactory(club=club))
    )
    number = make.SeasonFactory(club=club).pk
    make.TableFactory(round=round_, players=[f"{name} {number}" for name in NAMES])


def entrant(club):
    make.EntrantFactory(
        tournament=Tournament.objects.first()
        or make.TournamentFactory(event__club=club, slug="acik", state="registration")
    )


def same_name(club):
    if not club.players.exists():
        make.PlayerFactory(club=club, name="Şule", public_id="kept")
    make.PlayerFactory(club=club, name=f"Sule {club.players.count()}")


def delivery(club):
    DeliveryFactory(webhook=Webhook.objects.first() or WebhookFactory(club=club, public_id="hook"))


PAGES = {
    "/": (7, own_club),
    "/clubs/": (4, own_club),
    "/me/": (5, own_club),
    "/clubs/moda/": (14, event),
    "/clubs/moda/events/": (7, event),
    "/clubs/moda/games/": (7, event),
    "/clubs/moda/house-rules/": (6, lambda club: HouseRulesetFactory(club=club)),
    "/clubs/moda/people/": (8, person),
    "/clubs/moda/players/": (
        8,
        lambda club: make.PlayerFactory(club=club, account=make.AccountFactory()),
    ),
    "/clubs/moda/players/kept/merge/": (6, same_name),
    "/clubs/moda/seasons/": (6, event),
    "/clubs/moda/tournaments/acik/entrants/": (11, entrant),
    "/clubs/moda/webhooks/hook/": (7, delivery),
}
"""Each page with its queries, and how a row comes to be on it."""


@pytest.mark.parametrize("path", PAGES)
def test_page_takes_as_many_queries_for_three_rows_as_for_one(owner, club, path):
    queries, add = PAGES[path]

    for more in (1, 2):
        for _ in range(more):
            add(owner.user if add is own_club else club)
        assert queries_of(lambda: owner.get(path)) == queries
        assert owner.get(path).status_code == 200
