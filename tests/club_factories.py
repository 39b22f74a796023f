"""Clubs with their people and events, for tests; rows as their services leave them."""

from datetime import date

import factory
from factory.django import DjangoModelFactory

from tests.deals import NAMES
from tests.factories import EVENING, GameFactory, SetupFactory, record_all
from tournaments import models
from tournaments.services.games.playing import start_game
from tournaments.services.people.players import names_at_table


class AccountFactory(DjangoModelFactory):
    """Someone who can sign in and has no power over the server."""

    class Meta:
        model = models.User

    username = factory.Sequence(lambda n: f"account{n:05}")
    email = factory.LazyAttribute(lambda o: f"{o.username}@example.org")


class ClubFactory(DjangoModelFactory):
    class Meta:
        model = models.Club

    slug = factory.Sequence(lambda n: f"moda-{n:05}")
    name = "Moda King Kulübü"
    created_at = EVENING


class MemberFactory(DjangoModelFactory):
    """An account in a club; `role=` owner, director or member."""

    class Meta:
        model = models.Member

    club = factory.SubFactory(ClubFactory)
    user = factory.SubFactory(AccountFactory)
    role = "member"
    joined_at = EVENING


class InvitationFactory(DjangoModelFactory):
    class Meta:
        model = models.Invitation

    club = factory.SubFactory(ClubFactory)
    created_at = EVENING
    expires_at = EVENING.replace(year=2100)


class SeasonFactory(DjangoModelFactory):
    class Meta:
        model = models.Season

    club = factory.SubFactory(ClubFactory)
    name = factory.Sequence(lambda n: f"Season {n:05}")
    starts_on = date(2026, 9, 1)
    ends_on = date(2027, 6, 30)


class PlayerFactory(DjangoModelFactory):
    class Meta:
        model = models.Player

    club = factory.SubFactory(ClubFactory)
    name = factory.Sequence(lambda n: f"Oyuncu {n:05}")
    created_at = EVENING


class EventFactory(DjangoModelFactory):
    class Meta:
        model = models.Event

    club = factory.SubFactory(ClubFactory)
    name = "Cuma akşamı"
    held_on = EVENING.date()
    ruleset = "turkish-king"
    created_at = EVENING


class RoundFactory(DjangoModelFactory):
    """An open round; `closed_at=` for one that is over."""

    class Meta:
        model = models.Round

    event = factory.SubFactory(EventFactory)
    number = factory.Sequence(lambda n: n + 1)
    opened_at = EVENING


class TableFactory(DjangoModelFactory):
    """A table with the four players of `NAMES`, found or made, and a game with `entries`."""

    class Meta:
        model = models.Table
        skip_postgeneration_save = True

    round = factory.SubFactory(RoundFactory)
    number = factory.Sequence(lambda n: n + 1)

    @factory.post_generation
    def players(table, create, names, **rest):  # noqa: N805 - factory_boy hands over the row
        club = table.round.event.club
        sitting = [
            models.Player.objects.filter(club=club).called(name).first()
            or PlayerFactory(club=club, name=name)
            for name in names or NAMES
        ]
        # Like a club's tables, it has no open table.
        head = SetupFactory(players=names_at_table(sitting))
        game = GameFactory(head=head, start=start_game)
        game.table = table
        game.save()
        for number, player in enumerate(sitting):
            models.Seat.objects.create(game=game, number=number, player=player)

    @factory.post_generation
    def entries(table, create, bodies, **rest):  # noqa: N805 - as above
        if bodies:
            record_all(table.games.get(), bodies)


class AuditEntryFactory(DjangoModelFactory):
    class Meta:
        model = models.AuditEntry

    club = factory.SubFactory(ClubFactory)
    at = EVENING
    kind = "settings"
    action = "change"


class TournamentFactory(DjangoModelFactory):
    """A draft; `state=` for one that has come further."""

    class Meta:
        model = models.Tournament

    event = factory.SubFactory(EventFactory, name="Moda Açık")
    slug = factory.Sequence(lambda n: f"moda-acik-{n:05}")


class EntrantFactory(DjangoModelFactory):
    class Meta:
        model = models.Entrant

    tournament = factory.SubFactory(TournamentFactory)
    number = factory.Sequence(lambda n: n + 1)
    player = factory.SubFactory(
        PlayerFactory, club=factory.SelfAttribute("..tournament.event.club")
    )
    registered_at = EVENING


class SittingFactory(DjangoModelFactory):
    """An entrant who sits out a round."""

    class Meta:
        model = models.Sitting

    round = factory.SubFactory(RoundFactory)
    entrant = factory.SubFactory(EntrantFactory)


class SubstituteFactory(DjangoModelFactory):
    class Meta:
        model = models.Substitute

    entrant = factory.SubFactory(EntrantFactory)
    round_number = 1
    instead_of = factory.SubFactory(PlayerFactory)
    player = factory.SubFactory(PlayerFactory)


class RulingFactory(DjangoModelFactory):
    class Meta:
        model = models.Ruling

    round = factory.SubFactory(RoundFactory)
    entrant = factory.SubFactory(EntrantFactory)
    kind = "penalty"
    points = 1
    reason = "revoke"
    at = EVENING
