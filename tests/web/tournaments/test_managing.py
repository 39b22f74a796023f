"""Copying, exporting, importing, cancelling and deleting a tournament on its pages."""

import json
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.tournament_builders import closed, running
from tournaments.models import Event, Game, Player, PlayerRating, RatingChange, Round, Tournament
from tournaments.queries.players import games_of
from tournaments.queries.site import finished_games
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import withdraw_entrant
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.web.base.phone import address

FOUR = ("Ayşe", "Burak", "Cem", "Deniz")


@pytest.fixture
def row():
    """A tournament with a closed and rated round of one table."""
    row = running(*FOUR)
    closed(row)
    sweep_ratings()
    return row


def url(name, row):
    return reverse(name, args=[row.event.club.slug, row.slug])


def rated():
    sweep_ratings()
    return list(RatingChange.objects.order_by("pk").values_list("game", "seat", "mean"))


def counted(row, user):
    club = row.event.club
    played = games_of(Player.objects.get(name="Ayşe"), None)
    return len(rated()), finished_games(club, user).count(), len(played)


def test_cancelled_tournament_counts_nowhere_until_it_is_taken_back(visitor, row):
    club = row.event.club
    member = visitor.become("member", club).user
    director = visitor.become("director", club)
    before = rated()

    page = director.post(url("cancel_tournament", row), follow=True)

    assert reverse("restore_tournament", args=[club.slug, row.slug]) in page.text
    assert counted(row, director.user) == (0, 0, 0)
    link = reverse("register", args=[row.public_id, row.secret("register")])
    assert director.get(link).status_code == 404
    assert not Event.objects.listed_for(member).exists()
    Event.objects.update(published=True)
    phone = Client(headers={"accept-language": "en"})
    assert phone.get(url("tournament", row)).status_code == 404
    looks = visitor.become("member", club)
    assert "tournament is cancelled" in looks.get(url("tournament", row)).text
    assert "tournaments/" not in looks.get(reverse("events", args=[club.slug])).text
    Round.objects.update(closed_at=None)
    game = Game.objects.get()
    said = {"type": "redeal", "reason": "misdeal", "by": "0", "key": "k" * 24}
    path = address(game, "write") + "entry/"
    refused = phone.post(path, {**said, "revision": game.revision})
    Round.objects.update(closed_at=EVENING)
    assert "The tournament is cancelled" in refused.text
    director = visitor.become("director", club)
    assert "cancelled" in director.get(reverse("events", args=[club.slug])).text
    director.post(url("restore_tournament", row))
    assert rated() == before
    assert (counted(row, member)[1:], Event.objects.listed_for(member).count()) == ((1, 1), 1)


def test_only_an_owner_who_types_the_name_deletes_a_tournament_with_rounds(visitor, row):
    club, said = row.event.club, {"name": row.event.name}
    for role, typed in (("director", said), ("owner", {"name": "Moda"})):
        refused = visitor.become(role, club).post(url("remove_tournament", row), typed)
        assert (refused.status_code, Game.objects.count()) == (422, 1)

    visitor.post(url("remove_tournament", row), said)

    assert (Event.objects.count(), Game.objects.count(), rated()) == (0, 0, [])
    assert not PlayerRating.objects.exists()
    assert Player.objects.count() == len(FOUR)


def test_copy_has_the_settings_and_who_still_plays_and_takes_over_the_links(visitor, row):
    director = visitor.become("director", row.event.club)
    withdraw_entrant(row.entrants.get(number=2).pk, NOBODY, at=EVENING)
    link = reverse("register", args=[row.public_id, row.secret("register")])
    form = director.get(url("copy_tournament", row)).context["form"]
    answers = {"name": "Moda Aralık", "held_on": form["held_on"].value(), "key": "k" * 22}

    for _twice in range(2):
        director.post(url("copy_tournament", row), answers | {"entrants": "on", "links": "on"})

    copy = Tournament.objects.exclude(pk=row.pk).get()
    assert (copy.event.held_on, copy.state) == (date(2026, 12, 18), "draft")
    assert (copy.settings, copy.event.ruleset) == (row.settings, row.event.ruleset)
    names = copy.entrants.values_list("number", "player__name")
    assert list(names) == [(1, "Ayşe"), (2, "Cem"), (3, "Deniz")]
    assert director.get(link).context["tournament"] == copy


def test_exported_tournament_is_imported_again_under_another_address(visitor):
    row = whole_tournament()
    owner = visitor.become("owner", row.event.club)
    exported = owner.get(url("tournament_record", row)).content

    def sent(browser, club, **more):
        page = reverse("tournament_records", args=[club.slug])
        return browser.post(page, {"file": SimpleUploadedFile("moda.json", exported), **more})

    assert sent(owner, row.event.club).status_code == 422
    # Its games are here: they are not rated a second time.
    assert sent(owner, row.event.club, elsewhere="on").status_code == 422
    assert Tournament.objects.count() == 1
    there = ClubFactory(slug="kadife")
    other = visitor.become("owner", there)
    assert sent(other, there, elsewhere="on").status_code == 302
    second = Tournament.objects.exclude(pk=row.pk).get()
    again = json.loads(other.get(url("tournament_record", second)).content)
    before = json.loads(exported)
    assert again["rounds"] == before["rounds"]
    assert again["tournament"] == {**before["tournament"], "slug": f"{row.slug}-2"}
