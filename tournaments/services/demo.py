"""A realistic demo club, from stored documents whose dates are moved to today.

`demo.jsonl.gz` holds the names of the players, the tournaments as `kingscore-tournament/1` and the
games of the evenings as `kingscore-game/1`, one a line, at the club's own time.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Event, Season, Tournament, User
from tournaments.models.clubs import LeaguePoints, Role
from tournaments.services.audit import Actor
from tournaments.services.base.writes import free_slugs
from tournaments.services.clubs.membership import (
    ClubSettings,
    Offer,
    accept_invitation,
    change_settings,
    create_club,
    invite,
)
from tournaments.services.events.events import EventPlan, SeasonDates, create_event, create_season
from tournaments.services.games.playing import GameSetup, record_entries
from tournaments.services.games.tables import Laying, add_table
from tournaments.services.games.writing import WriteContext
from tournaments.services.imports.records import (
    RecordFile,
    RecordsRequest,
    import_records,
    preview_records,
)
from tournaments.services.people.changes import set_initials
from tournaments.services.people.merging import claim_player, merge_players
from tournaments.services.people.players import add_player, add_players
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rounds.rulings import RulingDecision, call_director, rule
from tournaments.services.rulesets import create_rules
from tournaments.services.tournaments.record_import import Into, import_tournament

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

DOCUMENTS = Path(__file__).with_suffix(".jsonl.gz")
STORED_AT = datetime.fromisoformat("2026-11-10T20:00")
"""The present of the documents."""
DATE = re.compile(r'"(\d{4}-\d\d-\d\d)(T[\d:]+)?"')
OPEN_EVENING = "Antrenman akşamı"
YEARS = timedelta(days=3 * 365)
SEASON = timedelta(days=300)


class DemoThere(Exception):
    """A club or account already has a name of the demo."""


def seed_demo(*, password: str, at: datetime) -> Club:
    """Create the demo club as of `at`.

    Raises: DemoThere: the demo exists, or its names are taken; nothing is written.
    """
    with transaction.atomic():
        if Club.objects.filter(slug=SLUG).exists():
            raise DemoThere
        if User.objects.filter(email__in=ACCOUNTS).exists():
            raise DemoThere
        names, *lines = gzip.decompress(DOCUMENTS.read_bytes()).decode().splitlines()
        club, owner, director = _found_club(json.loads(names), password, at=at - YEARS)
        seasons = [_add_season(club, ago, owner, at) for ago in (2, 1, 0)]
        evenings = defaultdict(list)
        for document in (_move(line, seasons, at) for line in lines):
            if "tournament" in document:
                import_tournament(document, director, at=at, into=Into(club))
            else:
                evenings[document["title"], document["played_at"][:10]].append(document)
        *past, running = evenings.values()
        for games in past:
            begun = max(datetime.fromisoformat(game["played_at"]) for game in games)
            files = [RecordFile(game["title"], json.dumps(game)) for game in games]
            order, over = RecordsRequest(files, games[0]["title"]), begun + timedelta(hours=2)
            seen = preview_records(club, order, now=over).mark
            import_records(club.pk, order, seen, director, at=over)
        Event.objects.filter(club=club).update(published=True)
        _play_tonight(club, seasons[-1], running, director, at)
        document = write_ruleset(RULESETS["turkish-king"]) | {"name": f"{SLUG.title()} usulü"}
        create_rules(document, owner, at=at, club=club)
        # The first visitor sees ratings even without a worker.
        sweep_ratings()
    return club


def _found_club(names: Sequence[str], password: str, *, at: datetime) -> tuple[Club, Actor, Actor]:
    """Create the club with its accounts and players; return it, its owner and a director."""
    hashed = make_password(password)
    actors = {}
    for email in ACCOUNTS:
        name = f"moda-{email.partition('@')[0]}"
        user = User.objects.create(username=name, email=email, password=hashed, date_joined=at)
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
        actors[email] = Actor(user)
    owner, director, *_ = actors.values()
    # Created under the short name, for the sake of the slug.
    club = create_club(SLUG.title(), owner, at=at)
    settings = ClubSettings(CLUB, published=True, rates_evenings=True, in_server_ratings=True)
    club = change_settings(club.pk, settings, owner, at=at)
    players = add_players(club, names, owner, at=at)
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
    return club, owner, director


def _add_season(club: Club, ago: int, owner: Actor, at: datetime) -> Season:
    """Create the season that began up to 100 days ago, or one as many years before."""
    start = (at - timedelta(days=70)).date().replace(day=1)
    start = start.replace(year=start.year - ago)
    end = start + SEASON
    name = f"{start.year}" if start.year == end.year else f"{start.year}–{end.year}"
    # Its tournaments count different points.
    dates = SeasonDates(name, start, end, league_points=LeaguePoints.EVENING)
    return create_season(club, dates, owner, at=datetime.combine(start, time(19), at.tzinfo))


def _move(line: str, seasons: Sequence[Season], at: datetime) -> Any:
    """Return a document with its dates and seasons moved to `at`.

    What is going on moves to the minute, and all else by whole days.
    """
    now = timezone.make_naive(at)
    goes_on = '"state":"running"' in line or f'"title":"{OPEN_EVENING}"' in line
    days = timedelta(days=(now.date() - STORED_AT.date()).days)
    moved = now - STORED_AT if goes_on else days

    def move(found: re.Match[str]) -> str:
        day, moment = found.groups()
        if moment is None:
            return f'"{(datetime.fromisoformat(day) + days).date()}"'
        aware = timezone.make_aware(datetime.fromisoformat(day + moment) + moved)
        return f'"{aware.isoformat()}"'

    for stored, season in zip(("2024–2025", "2025–2026", "2026–2027"), seasons, strict=True):
        line = line.replace(stored, season.name)
    document = json.loads(DATE.sub(move, line))
    if event := document.get("tournament"):
        event["slug"] = next(free_slugs(f"{event['name']} {event['held_on']}", "", 60, ()))
    return document


def _play_tonight(
    club: Club, season: Season, games: Sequence[Any], by: Actor, at: datetime
) -> None:
    """Open an evening, with a match of Euchre, and rule in the tournament that goes on."""
    begun = at - timedelta(minutes=55)
    rules = {"table_codes": True, "confirmations": "all", "ruleset": games[0]["ruleset"]}
    plan = EventPlan(OPEN_EVENING, at.date(), season=season, **rules)
    round_ = create_event(club, plan, by, at=begun).rounds.get()
    for number, game in enumerate(games):
        match = ("best-of", 3) if game["ruleset"] == "euchre" else None
        laying = Laying(GameSetup(game["ruleset"], ()), game["players"], match)
        row = add_table(round_.pk, laying, by, at=begun).games.get()
        written = at - timedelta(minutes=number)
        context = WriteContext("demo-entry", 0, written, author=game["players"][0])
        record_entries(row.pk, map(parse_entry, game["entries"]), context)
    tournament = Tournament.objects.get(event__club=club, state=Tournament.State.RUNNING)
    first, second, third = tournament.event.rounds.order_by("number")
    for round_, number, decision in (
        (first, 7, RulingDecision("penalty", 50, "Üçüncü kez geç geldi")),
        (second, 12, RulingDecision("adjusted", -40, "Eksik kâğıtla oynanmış")),
    ):
        entrant = tournament.entrants.get(number=number)
        rule(round_.pk, entrant.pk, decision, by, at=at - timedelta(minutes=20))
    table = third.tables.get(number=3)
    call_director(table.pk, Actor(table=table.public_id), at=at - timedelta(minutes=2))
