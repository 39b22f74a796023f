"""The people and the evenings of the sample club."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from math import exp
from random import Random
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.db.models import QuerySet

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.engine.play.games import Game, play
from tournaments.engine.rules.fields import fields_of, trumps_of
from tournaments.engine.rules.rulesets import TRUMP, UNITS, Contract, Ruleset
from tournaments.models import Club, Confirmation, Event, Revision, Round, Season, User
from tournaments.models import Game as ModelsGame
from tournaments.models.clubs import LeaguePoints, Role
from tournaments.queries.sheets import fold_sheet, put_computed, ruleset_of
from tournaments.services.audit import Actor
from tournaments.services.clubs.membership import (
    ClubSettings,
    Offer,
    accept_invitation,
    change_settings,
    create_club,
    invite,
)
from tournaments.services.events.events import (
    EventPlan,
    SeasonDates,
    close_round,
    create_event,
    create_season,
    open_round,
)
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.tables import Laying, add_table
from tournaments.services.people.changes import set_initials
from tournaments.services.people.merging import claim_player, merge_players
from tournaments.services.people.players import add_player, add_players

NAMES = (
    *("Ayşe Yıldırım", "Burak Şahin", "Cem Özdemir", "Deniz Aydın", "Elif Kılıç", "Fatih Çelik"),
    *("Gülşen Arslan", "Hakan Öztürk", "Işıl Güneş", "İbrahim Doğan", "Jale Koç", "Kerem Aslan"),
    *("Leyla Polat", "Murat Yıldız", "Nazlı Erdoğan", "Oğuz Kaplan", "Özge Aksoy", "Pınar Şimşek"),
    *("Rıza Taş", "Selin Korkmaz", "Şule Bozkurt", "Tolga Güler", "Umut Ünal", "Ülkü Turan"),
    *("Volkan Acar", "Yasemin Keskin", "Zeynep Ateş", "Ahmet Işık", "Aslı Tekin", "Barış Yalçın"),
    *("Başak Duman", "Can Avcı", "Çağla Bulut", "Çetin Sarı", "Defne Uçar", "Doğan Gündüz"),
    *("Ebru Karaca", "Emre Sönmez", "Esra Uzun", "Ferit Ertaş", "Gizem Toprak", "Gökhan Başaran"),
    *("Hande Soylu", "Hüseyin Kurt", "İlknur Eren", "İpek Durmaz", "Kadir Çakır", "Levent Özer"),
    *("Mehmet Ali Kara", "Melis Tunç", "Mine Bilgin", "Nihat Çoban", "Nur Yavuz", "Orhan Yüce"),
    *(
        "Reyhan Altun",
        "Sevgi Başar",
        "Sinan Oral",
        "Taner Gürsoy",
        "Tuğba Ekinci",
        "Yiğit Demirtaş",
    ),
)
"""The players of the club."""

VISITING_CLUBS = ("Kadıköy Briç ve King", "Üsküdar Kâğıt Kulübü", "Beşiktaş Rıfkıcıları")
"""Clubs of visiting tournament players."""


SLUG = "moda"
CLUB = "Moda King Kulübü"
ACCOUNTS = {
    "owner@example.org": Role.OWNER,
    "director@example.org": Role.DIRECTOR,
    "second.director@example.org": Role.DIRECTOR,
    **{f"member{number}@example.org": Role.MEMBER for number in range(1, 8)},
}
"""Unused e-mail addresses, and the role of each account."""

OLD_NAME = "Burak Sahin"
"""The former spelling of a player, whose two rows have been merged."""


@dataclass(frozen=True)
class Cast:
    """The club and its people; `strength` maps players' names to a value around 0."""

    club: Club
    owner: Actor
    director: Actor
    chance: Random
    strength: Mapping[str, float]

    def some(self, number: int, names: Sequence[str] = NAMES) -> list[str]:
        """Pick `number` players at random."""
        return self.chance.sample(names, number)


def found_club(chance: Random, password: str, *, at: datetime) -> Cast:
    """Create the club with its accounts and players; `at` is the day it begins."""
    hashed = make_password(password)
    actors = {email: Actor(_account(email, hashed, at)) for email in ACCOUNTS}
    owner = actors["owner@example.org"]
    # Created under the short name, for the sake of the slug.
    club = create_club(SLUG.title(), owner, at=at)
    settings = ClubSettings(CLUB, published=True, rates_evenings=True, in_server_ratings=True)
    club = change_settings(club.pk, settings, owner, at=at)
    players = add_players(club, NAMES, owner, at=at)
    merge_players(players[1].pk, add_player(club, OLD_NAME, owner, at=at).pk, owner, at=at)
    set_initials(players[-1].pk, initials=True, by=owner, at=at)
    for player, (email, role) in zip(players, ACCOUNTS.items(), strict=False):
        if role == Role.DIRECTOR:
            invitation = invite(club, Offer(role), owner, at=at)
            accept_invitation(invitation.pk, actors[email], at=at + timedelta(days=1))
        # Claiming a player makes the account a member.
        secret = player.claim_secret
        claim_player(player.public_id, secret, actors[email], at=at + timedelta(days=2))
    invite(club, Offer(Role.MEMBER, most_uses=None, lasts=timedelta(days=2000)), owner, at=at)
    strength = {name: max(-1.2, min(1.2, chance.gauss(0, 0.5))) for name in NAMES}
    return Cast(club, owner, actors["director@example.org"], chance, strength)


def _account(email: str, hashed: str, at: datetime) -> User:
    name = email.partition("@")[0]
    user = User.objects.create(
        username=f"moda-{name}", email=email, password=hashed, date_joined=at
    )
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


EntryBody = dict[str, Any]

LUCK = 0.7
"""The weight of luck in a deal; the strength of good and bad players differs by about 1."""

KINGS = 0.01
"""The probability that a trump deal is a King."""

ALONE = 0.08
PASSED = 0.05


def play_game(
    chance: Random, ruleset: Ruleset, strengths: Sequence[float], deals: int | None = None
) -> list[EntryBody]:
    """Return record entries of a game, to its end or for `deals` deals.

    A game cut short has no King, which would have ended it.
    `strengths` holds one value per side: stronger sides take fewer penalties and more points.
    The ruleset must be Turkish King, whose deals hand out one unit each, or Euchre.
    """
    game = Game(ruleset)
    bodies: list[EntryBody] = []
    while not game.finished and (deals is None or game.turns < deals):
        kings = KINGS if deals is None else 0
        entry = parse_entry(_draw_entry(chance, game, strengths, kings))
        game = play(game, entry)
        bodies.append(write_entry(entry))
    return bodies


def _draw_entry(chance: Random, game: Game, strengths: Sequence[float], kings: float) -> EntryBody:
    if game.ruleset.unnamed is not None:
        return _draw_hand(chance, game, game.ruleset.unnamed, strengths)
    contract = chance.choice(game.legal_contracts())
    body: EntryBody = {"type": "deal", "contract": contract.id}
    if trumps_of(game.ruleset, contract):
        body["trump"] = chance.choice(trumps_of(game.ruleset, contract))
    king = contract.kind == TRUMP and "king" in fields_of(game.ruleset, contract)
    if chance.random() < kings and king:
        tricks = UNITS["tricks"].total or 0
        taken = [tricks if seat == game.declarer else 0 for seat in range(game.ruleset.seats)]
        return body | {"counts": {"tricks": taken}, "king": game.declarer}
    (unit,) = contract.values
    pays = 1 if contract.values[unit] > 0 else -1
    weights = [exp(pays * strength + chance.gauss(0, LUCK)) for strength in strengths]
    if pays > 0:
        # The declarer of trumps holds them.
        weights[game.ruleset.sides[game.declarer]] *= 3
    takers = chance.choices(range(len(weights)), weights, k=UNITS[unit].total or 0)
    counts = [takers.count(side) for side in range(len(weights))]
    if contract.replay_one_each and set(counts) == {1}:
        return {"type": "void", "contract": contract.id, "reason": "one-each"}
    return body | {"counts": {unit: counts}}


def _draw_hand(
    chance: Random, game: Game, contract: Contract, strengths: Sequence[float]
) -> EntryBody:
    """Draw a hand of Euchre: five tricks, of which the makers need three."""
    if chance.random() < PASSED:
        return {"type": "passed"}
    maker = chance.randrange(game.ruleset.seats)
    side = game.ruleset.sides[maker]
    ahead = strengths[side] - strengths[1 - side]
    share = 1 / (1 + exp(-0.6 - 0.5 * ahead - chance.gauss(0, LUCK)))
    tricks = sum(chance.random() < share for _ in range(5))
    trump = chance.choice(trumps_of(game.ruleset, contract))
    body: EntryBody = {"type": "deal", "maker": maker, "trump": trump, "tricks": tricks}
    return body | ({"alone": True} if chance.random() < ALONE else {})


AT_ONCE = 500
"""Rows in one statement."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of a table: `deals` of its game (None: all), between two moments.

    Afterwards `confirmed` of its players confirm the result.
    """

    since: datetime
    until: datetime
    deals: int | None = None
    confirmed: int = 0


def play_tables(cast: Cast, games: QuerySet[ModelsGame], pace: Pace) -> None:
    write_sheets(cast, [(game, pace) for game in seated(games)])


def seated(games: QuerySet[ModelsGame]) -> list[ModelsGame]:
    """Return games in order of their tables, with seats loaded."""
    rows = games.order_by("table__number", "pk").select_related("table")
    return list(rows.prefetch_related("seats__player"))


def write_sheets(cast: Cast, played: Iterable[tuple[ModelsGame, Pace]]) -> None:
    """Play games at club tables at random, and store their sheets and audit entries."""
    games, writes, confirmations = [], [], []
    for game, pace in played:
        sheet = list(_write_game(cast, game, pace))
        games.append(game)
        writes += sheet
        confirmations += list(_confirm(cast.club, game, pace))
    Revision.objects.bulk_create(writes, AT_ONCE)
    Confirmation.objects.bulk_create(confirmations, AT_ONCE)
    ModelsGame.objects.bulk_update(games, ["revision", "result", "digest"], AT_ONCE)


def _write_game(cast: Cast, game: ModelsGame, pace: Pace) -> Iterator[Revision]:
    ruleset = ruleset_of(game)
    strengths = [0.0] * ruleset.side_count
    for seat in game.seats.all():
        strengths[ruleset.sides[seat.number]] += cast.strength[seat.player.name]
    bodies = play_game(cast.chance, ruleset, strengths, pace.deals)
    step = (pace.until - pace.since) / max(1, len(bodies))
    author = cast.chance.choice(game.players)
    writes = tuple(
        Revision(
            game=game,
            revision=number,
            key=f"demo-{number:04}",
            kind=Revision.Kind.ENTRY,
            position=number - 1,
            body=body,
            author=author,
            at=pace.since + step * number,
            club=cast.club,
            by_phone=True,
        )
        for number, body in enumerate(bodies, 1)
    )
    game.revision = len(writes)
    put_computed(fold_sheet(game, writes))
    return iter(writes)


def _confirm(club: Club, game: ModelsGame, pace: Pace) -> Iterator[Confirmation]:
    for seat, player in islice(enumerate(game.players), pace.confirmed):
        yield Confirmation(
            game=game,
            seat=seat,
            revision=game.revision,
            player=player,
            at=pace.until,
            club=club,
            by_phone=True,
        )


RULESETS = ("turkish-king", "turkish-king", "rifki", "turkish-king", "turkish-king-bloody")
"""Rulesets of the evenings, in turn."""

ROUNDS = ((5,), (4, 3), (6,), (5,))
"""Tables of each round of an evening, in turn."""

BEGINS = time(19, 0)
ROUND = timedelta(hours=2)
SEASON = timedelta(days=300)


def add_seasons(cast: Cast, at: datetime) -> list[Season]:
    """Create two past seasons, a year apart, and the current one; return them oldest first."""
    running = (at - timedelta(days=70)).date().replace(day=1)
    starts = [running.replace(year=running.year - ago) for ago in (2, 1, 0)]
    seasons = []
    for start in starts:
        end = start + SEASON
        name = f"{start.year}" if start.year == end.year else f"{start.year}–{end.year}"
        # Its tournaments count different points.
        dates = SeasonDates(name, start, end, league_points=LeaguePoints.EVENING)
        seasons.append(create_season(cast.club, dates, cast.owner, at=evening_of(cast, start)))
    return seasons


def evening_of(cast: Cast, day: date) -> datetime:
    return datetime.combine(day, BEGINS, cast.club.created_at.tzinfo)


def hold_evenings(cast: Cast, season: Season, *, apart: int, until: date) -> None:
    """Hold all evenings of a season, so many days apart, alike except for the games."""
    held = season.starts_on + timedelta(days=5)
    number = 0
    while held <= until:
        rules, tables = RULESETS[number % len(RULESETS)], ROUNDS[number % len(ROUNDS)]
        number += 1
        plan = EventPlan(f"{number}. akşam", held, rules, season=season, published=True)
        begins = evening_of(cast, held)
        event = create_event(cast.club, plan, cast.director, at=begins)
        for played, laid in enumerate(tables):
            at = begins + played * ROUND
            round_ = open_round(event.pk, cast.director, at=at) if played else event.rounds.get()
            lay_tables(cast, round_, cast.some(4 * laid), at)
            games = ModelsGame.objects.filter(table__round=round_)
            play_tables(cast, games, Pace(at, at + ROUND - timedelta(minutes=10)))
            close_round(round_.pk, cast.director, at=at + ROUND)
        held += timedelta(days=apart)


def lay_tables(cast: Cast, round_: Round, names: Sequence[str], at: datetime) -> None:
    """Add tables of four for the evening's game."""
    head = GameSetup(round_.event.ruleset, (), options=round_.event.options)
    for first in range(0, len(names), 4):
        laying = Laying(head, names[first : first + 4])
        add_table(round_.pk, laying, cast.director, at=at)


def open_evening(cast: Cast, season: Season, names: Sequence[str], at: datetime) -> Event:
    """Open an evening in progress: tables at different deals, and a match of Euchre."""
    begins = at - timedelta(minutes=55)
    plan = EventPlan("Antrenman akşamı", at.date(), RULESETS[0], season=season)
    plan = replace(plan, table_codes=True, confirmations="all")
    event = create_event(cast.club, plan, cast.director, at=begins)
    round_ = event.rounds.get()
    lay_tables(cast, round_, names[:-4], begins)
    match = Laying(GameSetup("euchre", ()), names[-4:], ("best-of", 3))
    add_table(round_.pk, match, cast.director, at=begins)
    games = seated(ModelsGame.objects.filter(table__round=round_))
    deals = [11, 4, *[9] * len(games)]
    write_sheets(
        cast,
        [
            (game, Pace(begins, at - timedelta(minutes=number), deals[number]))
            for number, game in enumerate(games)
        ],
    )
    return event


def players_left(club: Club, taken: Sequence[str]) -> list[str]:
    """Return the names of players not in `taken`."""
    names = club.players.present().exclude(name__in=taken).order_by("pk")
    return list(names.values_list("name", flat=True))
