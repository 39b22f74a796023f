"""A server with two clubs, and everybody who may come to its addresses."""

from dataclasses import dataclass, field

from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from tests import club_factories as make
from tests import factories
from tests.admin.test_office import ROWS
from tests.deals import WHOLE_GAME
from tests.program_factories import ApplicationFactory, DeliveryFactory, TokenFactory
from tests.rating_factories import RatingPoolFactory
from tests.web.ratings.ratings_world import rated
from tournaments.models import Merge, Player, RatingDue, Round, Subscription
from tournaments.queries.documents import report_secret
from tournaments.services.games.seating import begin_transfer
from tournaments.services.games.tables import start_table
from tournaments.services.webhooks.calling import secret_text

PHONES = ("phone", "phone of another table", "phone of a closed round")
"""Visitors without an account, each of which has come in by the card of its table."""

SIGNED_IN = ("member", "director", "owner", "other", "staff")
VISITORS = ("nobody", *PHONES, *SIGNED_IN)
WALK_QUICKLY = ("member", "other")
"""Those most pages refuse for what they are; the walks of the others are slow."""

CLUB, OTHER_CLUB = "Moda King Kulübü", "Kadife Gizli Kulübü"
WHOLE_NAME = "Zümrüt Gizlioğlu"
"""A player of the first club, who asked to be shown by initials."""

NAMES = (WHOLE_NAME, "Burak", "Cem", "Deniz")


@dataclass
class World:
    """`right`, `closed` and `wrong` fill in an address, by the name of its placeholder.

    `right` opens, `closed` is that of a round that is over, and `wrong` has another one's secret.
    """

    accounts: dict = field(default_factory=dict)
    links: dict = field(default_factory=dict)
    right: dict = field(default_factory=dict)
    closed: dict = field(default_factory=dict)
    wrong: dict = field(default_factory=dict)
    secrets: list = field(default_factory=list)


def make_world():
    world = World()
    logo = ContentFile(b"a picture", "moda.png")
    club = make.ClubFactory(slug="moda", name=CLUB, in_server_ratings=True, logo=logo)
    other = make.ClubFactory(slug="kadife", name=OTHER_CLUB)
    _people(world, club, other)
    make.PlayerFactory(club=club, name=WHOLE_NAME, initials=True)
    event = make.EventFactory(club=club, season=make.SeasonFactory(club=club), confirmations="two")
    over = make.RoundFactory(event=event, number=1)
    going = make.RoundFactory(event=event, number=2)
    tables = {
        "right": make.TableFactory(round=going, number=1, players=NAMES, entries=WHOLE_GAME[:2]),
        "another": make.TableFactory(round=going, number=2),
        "closed": make.TableFactory(round=over, number=1, players=NAMES, entries=WHOLE_GAME[:2]),
    }
    Round.objects.filter(pk=over.pk).update(closed_at=factories.EVENING)
    _addresses(world, tables)
    _club_pages(world, event, going, tables)
    _webhook(world, club)
    _players(world, club)
    _tournament(world, club)
    _ratings(club, other)
    _rows_of_the_server(world, club, tables["right"])
    return world


def _people(world, club, other):
    world.accounts = {
        role: make.MemberFactory(club=club, role=role).user
        for role in ("member", "director", "owner")
    }
    world.accounts["other"] = make.MemberFactory(club=other, role="owner").user
    world.accounts["staff"] = factories.UserFactory()
    whose = world.accounts["member"]
    world.right["calendar"] = {"pk": whose.pk, "secret": whose.calendar_secret}
    world.wrong["calendar"] = {"pk": whose.pk, "secret": world.accounts["other"].calendar_secret}
    mails = [
        Subscription.objects.create(user=each, created_at=factories.EVENING)
        for each in (whose, world.accounts["other"])
    ]
    world.right["mails"] = {"pk": mails[0].pk, "secret": mails[0].secret}
    world.wrong["mails"] = {"pk": mails[0].pk, "secret": mails[1].secret}
    make.TableFactory(round__event__club=other)


def _addresses(world, tables):
    games = {name: table.games.get() for name, table in tables.items()}
    for kind in ("write", "pen", "follow"):
        for name in ("right", "closed"):
            at = {"public_id": games[name].public_id}
            getattr(world, name)[kind] = at | {"secret": games[name].secret(kind)}
        world.wrong[kind] = world.right[kind] | {"secret": games["another"].secret(kind)}
    for name in ("right", "closed"):
        at = {"public_id": tables[name].public_id}
        getattr(world, name)["table"] = at | {"secret": tables[name].secret}
    world.wrong["table"] = world.right["table"] | {"secret": tables["another"].secret}
    for addresses in (world.right, world.closed, world.wrong):
        addresses["entry"] = addresses["write"] | {"position": 0}
        addresses["game"] = {"public_id": addresses["write"]["public_id"]}
        addresses["stream"] = {"page": reverse("follow", kwargs=addresses["follow"])[1:]}
    del world.wrong["game"]
    for name in ("right", "closed"):
        factories.GamePhotoFactory(game=games[name])
    # Open tables: nobody's, and nobody closes them.
    another = factories.GameFactory().secret("write")
    head = factories.SetupFactory(ruleset="krapet", players=("Ayşe", "Burak"))
    for place, game in (
        ("open table", factories.GameFactory(entries=WHOLE_GAME[:1])),
        ("match", start_table(head, ("best-of", 3), at=factories.EVENING)),
    ):
        at = {"public_id": game.public_id}
        world.right[place] = at | {"secret": game.secret("write")}
        world.wrong[place] = at | {"secret": another}
    evening = factories.GameFactory(entries=WHOLE_GAME).open_table
    world.right["evening"] = {"public_id": evening.public_id, "secret": evening.secret()}
    world.wrong["evening"] = world.right["evening"] | {"secret": another}
    row = factories.GameFactory()
    world.right["transfer"] = {"key": begin_transfer([(row, "follow")], {}, at=timezone.now())}
    world.wrong["transfer"] = {"key": another}
    world.links = {
        who: {"public_id": tables[name].public_id, "secret": tables[name].secret}
        for who, name in zip(PHONES, ("right", "another", "closed"), strict=True)
    }
    world.secrets += [table.secret for table in tables.values()]
    world.secrets += [game.secret(kind) for game in games.values() for kind in ("write", "pen")]


def _club_pages(world, event, going, tables):
    club = event.club
    at = {"slug": club.slug}
    here = at | {"public_id": event.public_id}
    place = here | {"number": going.number}
    rules = factories.HouseRulesetFactory(slug="moda-rules", club=club, name="Moda içi kurallar")
    factories.HouseRulesetFactory(slug="of-the-server")
    invitation = make.InvitationFactory(club=club)
    another = make.InvitationFactory(club=club)
    world.right |= {
        "": {},
        "club": at,
        "club part": at | {"part": "events"},
        "person": at | {"user": world.accounts["member"].pk},
        "invitation": at | {"public_id": invitation.public_id},
        "season": at | {"pk": event.season_id},
        "event": here,
        "round": place,
        "event table": here | {"table": tables["right"].public_id},
        "club game": at | {"public_id": tables["right"].games.get().public_id},
        "keeper": {"club": club.slug},
        "club rules": {"club": club.slug, "slug": rules.slug},
        "server rules": {"slug": "of-the-server"},
        "ruleset": {"ruleset": "turkish-king"},
        "topic of the API": {"name": "games"},
        "form of the API": {"name": "Problem"},
        "rules of the club": {"ruleset": rules.slug},
        "join": {"public_id": invitation.public_id, "secret": invitation.secret},
    }
    world.wrong["join"] = {"public_id": invitation.public_id, "secret": another.secret}
    world.secrets += [invitation.secret, another.secret]


def _webhook(world, club):
    call = DeliveryFactory(webhook__club=club)
    at = {"slug": club.slug, "public_id": call.webhook.public_id}
    world.right |= {"webhook": at, "webhook call": at | {"delivery": call.public_id}}
    world.secrets += [call.webhook.secret, secret_text(call.webhook)]
    call = DeliveryFactory(webhook__club=None, line=None)
    at = {"public_id": call.webhook.public_id}
    world.right |= {"webhook of the server": at}
    world.right |= {"call of the server": at | {"delivery": call.public_id}}


def _players(world, club):
    free, kept, gone = (make.PlayerFactory(club=club) for _ in range(3))
    own = Player.objects.filter(club=club).called("Burak").get()
    Player.objects.filter(pk=own.pk).update(account=world.accounts["member"])
    Player.objects.filter(pk=gone.pk).update(merged_into=kept)
    merge = Merge.objects.create(
        kept=kept, gone=gone, seats=[], account_moved=False, at=factories.EVENING
    )
    at = {"slug": club.slug}
    world.right |= {
        "player": at | {"public_id": free.public_id},
        "two players": at | {"public_id": own.public_id, "other": free.public_id},
        "merge": at | {"public_id": kept.public_id, "pk": merge.pk},
        "own player": {"public_id": own.public_id},
        "claim": {"public_id": free.public_id, "secret": free.claim_secret},
    }
    world.wrong["claim"] = {"public_id": free.public_id, "secret": own.claim_secret}
    world.secrets += [free.claim_secret, free.claim_code, own.claim_secret]


def _tournament(world, club):
    """A tournament of five: one table of four plays round 1, and round 2 is seated."""
    event = make.EventFactory(club=club, name="Moda Açık")
    row = make.TournamentFactory(event=event, slug="moda-acik", state="running")
    seating = {"tables": [["e1", "e2", "e3", "e4"]], "byes": ["e5"], "locked": []}
    round_ = make.RoundFactory(
        event=event, number=1, seating=seating, published_at=factories.EVENING
    )
    make.RoundFactory(event=event, number=2, seating=seating, opened_at=None)
    table = make.TableFactory(round=round_, number=1, players=NAMES, entries=WHOLE_GAME[:2])
    players = [seat.player for seat in table.games.get().seats.order_by("number")]
    out = make.PlayerFactory(club=club)
    entrants = [
        make.EntrantFactory(tournament=row, number=number, player=player)
        for number, player in enumerate([*players, out], start=1)
    ]
    for side, entrant in enumerate(entrants[:4]):
        make.SittingFactory(round=round_, entrant=entrant, table=table, side=side)
    make.SittingFactory(round=round_, entrant=entrants[4])
    make.SubstituteFactory(
        entrant=entrants[0], instead_of=players[0], player=make.PlayerFactory(club=club)
    )
    at = {"slug": club.slug, "tournament": row.slug}
    world.right |= {
        "tournament": at,
        "tournament round": at | {"number": 1},
        "seated round": at | {"number": 2},
        "tournament table": at | {"number": 1, "table": 1},
        "entrant": at | {"entrant": 1},
        "ruling": at | {"pk": make.RulingFactory(round=round_, entrant=entrants[0]).pk},
    }
    for kind, another in (("register", "check-in"), ("check-in", "register")):
        world.right[kind] = {"public_id": row.public_id, "secret": row.secret(kind)}
        world.wrong[kind] = {"public_id": row.public_id, "secret": row.secret(another)}
    world.secrets += [table.secret, row.secret("register"), row.secret("check-in")]


def _ratings(*clubs):
    server = RatingPoolFactory(club=None)
    for club in clubs:
        for pool in (RatingPoolFactory(club=club), server):
            for player in club.players.present():
                rated(pool, 1500, player=player)
    RatingDue.objects.create(club=clubs[0], since=factories.EVENING)


def _rows_of_the_server(world, club, table):
    make.AuditEntryFactory(club=club, user=make.AccountFactory())
    report = factories.ReportFactory(game=table.games.get(), parameters={"follow_generation": 1})
    another = factories.ReportFactory(game=report.game)
    world.right["report"] = {"pk": report.pk, "secret": report_secret(report.pk)}
    world.wrong["report"] = {"pk": report.pk, "secret": report_secret(another.pk)}
    world.right["key"] = {"pk": ROWS[Authenticator]().pk}
    token = TokenFactory(user=world.accounts["member"])
    world.right["own token"] = {"public_id": token.public_id}
    world.secrets.append(token.digest)
    world.right["own application"] = {"pk": ApplicationFactory(user=token.user).pk}
    world.secrets.append(DeliveryFactory(webhook__club=club).webhook.secret)
    for model in admin.site._registry:
        row = model._default_manager.order_by("pk").first() or ROWS[model]()
        world.right[f"office {model._meta.model_name}"] = {"object_id": row.pk}
    world.right["office elsewhere"] = {"url": "nowhere"}
    world.right["office app"] = {"app_label": "tournaments"}
    kind = ContentType.objects.get_for_model(club)
    world.right["office site"] = {"content_type_id": kind.pk, "object_id": club.pk}
