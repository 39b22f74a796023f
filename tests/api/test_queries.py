import pytest

from tests.club_factories import (
    AccountFactory,
    AuditEntryFactory,
    ClubFactory,
    EntrantFactory,
    EventFactory,
    MemberFactory,
    PlayerFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
    TournamentFactory,
)
from tests.counting import queries_of
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, HouseRulesetFactory
from tests.program_factories import DeliveryFactory, WebhookFactory
from tests.rating_factories import RatingPoolFactory
from tests.web.ratings.ratings_world import counted, rated
from tournaments.models import Event, RatingCount, RatingPool, Tournament, Webhook

pytestmark = pytest.mark.django_db


def tournament(club):
    return Tournament.objects.filter(slug="acik").first() or TournamentFactory(
        event__club=club, slug="acik", state="running"
    )


def evening(club):
    return Event.objects.filter(public_id="friday").first() or EventFactory(
        club=club, public_id="friday"
    )


def table(event):
    round_ = event.rounds.first() or RoundFactory(event=event, number=1, published_at=EVENING)
    number = round_.tables.count() + 1
    names = [f"{name} {number}" for name in NAMES]
    return TableFactory(round=round_, number=number, players=names, entries=WHOLE_GAME)


def rating(club):
    pool = RatingPool.objects.filter(club=club).first() or RatingPoolFactory(club=club)
    rated(pool, 1500)
    RatingCount.objects.all().delete()
    counted()


def delivery(club):
    hook = Webhook.objects.first() or WebhookFactory(club=club, public_id="hook")
    DeliveryFactory(webhook=hook)


LISTS = {
    "clubs/": (3, lambda _club: ClubFactory(published=True)),
    "clubs/moda/audit/": (4, lambda club: AuditEntryFactory(club=club, user=AccountFactory())),
    "clubs/moda/events/": (4, lambda club: TournamentFactory(event__club=club)),
    "clubs/moda/events/friday/rounds/1/tables/": (11, lambda club: table(evening(club))),
    "clubs/moda/house-rules/": (4, lambda club: HouseRulesetFactory(club=club)),
    "clubs/moda/members/": (5, lambda club: MemberFactory(club=club)),
    "clubs/moda/players/": (5, lambda club: PlayerFactory(club=club, account=AccountFactory())),
    "clubs/moda/ratings/": (8, rating),
    "clubs/moda/seasons/": (4, lambda club: SeasonFactory(club=club)),
    "clubs/moda/tournaments/": (4, lambda club: TournamentFactory(event__club=club)),
    "clubs/moda/tournaments/acik/entrants/": (
        7,
        lambda club: EntrantFactory(tournament=tournament(club)),
    ),
    "clubs/moda/tournaments/acik/rounds/1/tables/": (8, lambda club: table(tournament(club).event)),
    "clubs/moda/webhooks/hook/deliveries/": (5, delivery),
    "games/": (3, lambda club: table(tournament(club).event)),
}
"""Each list with its queries, and how a row comes to be on it."""


@pytest.mark.parametrize("path", LISTS)
def test_list_takes_as_many_queries_for_three_rows_as_for_one(program, path):
    queries, add = LISTS[path]
    club = ClubFactory(slug="moda")
    owner = program.role("owner", club)
    rows = []

    for more in (1, 2):
        for _ in range(more):
            add(club)
        assert queries_of(lambda: owner.get(path)) == queries
        rows.append(len(owner.get(path).json()["results"]))

    assert rows[1] == rows[0] + 2
