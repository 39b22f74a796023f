import pytest

from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import record
from tests.web.rounds.going import going, table
from tournaments.api.access import token_of

pytestmark = pytest.mark.django_db

OTHERWISE = WHOLE_GAME[1] | {"counts": {"queens": [3, 0, 0, 1]}}


def test_programs_confirm_and_dispute_deals_and_a_director_settles(program):
    club = ClubFactory()
    round_ = going(club, 1, confirm_deals=True, correct_minutes=5)
    game = table(round_).games.get()
    for body in WHOLE_GAME[1:3]:
        record(game, body)
    phone, director = program.with_token(token_of(game, "write")), program.role("director", club)
    path = f"games/{game.public_id}/"

    before = phone.get(f"{path}reviews/").json()
    confirmed = phone.post(f"{path}entries/0/confirm/", {"seat": 2, "revision": 1})
    own = phone.post(f"{path}entries/1/confirm/", {"seat": 1, "revision": 2})
    said = {"seat": 3, "revision": 2, "entry": OTHERWISE}
    disputed = phone.post(f"{path}entries/1/dispute/", said)
    other = said | {"entry": OTHERWISE | {"counts": {"queens": [2, 1, 0, 1]}}}
    again = phone.post(f"{path}entries/1/dispute/", other)

    assert (before["minutes"], [deal["state"] for deal in before["results"]]) == (
        5,
        ["unconfirmed"] * 2,
    )
    assert before["results"][1]["confirmers"] == [2, 0, 3]
    first = confirmed.json()["results"][0]
    assert (confirmed.status_code, first["state"], first["seat"]) == (201, "confirmed", 2)
    assert (own.status_code, own.json()["code"]) == (422, "no-opponent")
    assert disputed.json()["results"][1]["other"] == OTHERWISE
    assert (again.status_code, again.json()["code"]) == (409, "deal-disputed")
    assert {"called", "disputed"} <= troubles(watched(director, round_))

    where = (
        f"clubs/{club.slug}/tournaments/{round_.event.tournament.slug}/rounds/1/tables/1/settle/"
    )
    settled = director.post(where, {"position": 1, "revision": 2, "counts": "disputed"})
    assert not {"called", "disputed"} & troubles(settled.json())
    assert phone.get(path).json()["entries"][1]["entry"]["counts"] == OTHERWISE["counts"]
    fixed = phone.delete(f"{path}entries/1/", If_Match='"3"')
    assert (fixed.status_code, fixed.json()["code"]) == (409, "deal-fixed")


def troubles(seen):
    return {trouble["code"] for trouble in seen["troubles"]}


def watched(director, round_):
    tournament = round_.event.tournament.slug
    where = f"clubs/{round_.event.club.slug}/tournaments/{tournament}/rounds/1/tables/1/"
    return director.get(where).json()
