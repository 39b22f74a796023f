"""How many queries each page takes: as many for three rows, tables or games as for one."""

import pytest
from django.core.cache import caches

from tests import club_factories as make
from tests.counting import queries_of
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import HouseRulesetFactory
from tests.program_factories import DeliveryFactory, WebhookFactory
from tests.tournament_builders import closed, opened, play, running
from tournaments.models import Event, Player, Tournament, Webhook
from tournaments.services.ratings.computing import sweep_ratings


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
    "/clubs/moda/": (13, event),
    "/clubs/moda/events/": (7, event),
    "/clubs/moda/games/": (7, event),
    "/clubs/moda/house-rules/": (6, lambda club: HouseRulesetFactory(club=club)),
    "/clubs/moda/people/": (8, person),
    "/clubs/moda/players/": (
        7,
        lambda club: make.PlayerFactory(club=club, account=make.AccountFactory()),
    ),
    "/clubs/moda/players/kept/merge/": (6, same_name),
    "/clubs/moda/seasons/": (6, event),
    "/clubs/moda/tournaments/acik/entrants/": (12, entrant),
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


def season(club, size):
    """An evening and a tournament of so many tables each; one player sits at all of the evening."""
    row = make.SeasonFactory(club=club)
    round_ = make.RoundFactory(event=make.EventFactory(club=club, season=row), number=1)
    for number in range(size):
        names = [f"Ece {row.pk}", *(f"{name} {row.pk}-{number}" for name in NAMES[1:])]
        make.TableFactory(round=round_, players=names, entries=WHOLE_GAME[:1])
    tournament = running(*(f"{row.pk}-{number}" for number in range(4 * size)), club=club)
    Event.objects.filter(pk=tournament.event_id).update(season=row)
    Tournament.objects.update(settings={**tournament.settings, "prizes": ["50%"]})
    closed(tournament)
    play(opened(tournament), WHOLE_GAME[:1])
    sweep_ratings()
    player = Player.objects.get(name=f"Ece {row.pk}")
    return {
        "event": f"events/{round_.event.public_id}/",
        "league": f"seasons/{row.pk}/",
        "player": f"players/{player.public_id}/",
        "tournament": f"tournaments/{tournament.slug}/",
    }


PAGES_OF_SEASON = {
    "changes/": 11,
    "ratings/": 12,
    "ratings/calibration/": 6,
    "records/": 22,
    "{event}": 11,
    "{event}rounds/1/totals/": 6,
    "{league}": 8,
    "{league}league/": 12,
    "{player}": 16,
    "{player}against/": 12,
    "{tournament}": 23,
    "{tournament}corrections/": 17,
    "{tournament}entrants/1/": 32,
    "{tournament}entrants/fees/": 19,
    "{tournament}entrants/sections/": 15,
    "{tournament}live/": 17,
    "{tournament}rounds/1/": 16,
    "{tournament}rounds/2/": 16,
    "{tournament}rounds/2/line-ups/": 17,
    "{tournament}rounds/2/rulings/": 14,
    "{tournament}rounds/2/seating/": 19,
    "{tournament}rounds/2/tables/1/": 19,
    "{tournament}rounds/2/totals/": 14,
    "{tournament}rulings/": 14,
    "{tournament}standings/": 20,
    "{tournament}standings/1/": 17,
    "{tournament}wall/": 10,
}
"""Pages that nothing is cached of, with their queries."""


def test_page_takes_as_many_queries_for_three_tables_as_for_one(owner, club):
    for size in (1, 3):
        places = season(club, size)

        def ask(path, places=places):
            caches["pages"].clear()
            assert owner.get(f"/clubs/moda/{path.format(**places)}").status_code == 200

        taken = {path: queries_of(lambda path=path: ask(path)) for path in PAGES_OF_SEASON}
        assert taken == PAGES_OF_SEASON
