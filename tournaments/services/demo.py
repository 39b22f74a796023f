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
from tournaments.models import Club, Event, RatingPool, Season, Tournament, User
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
from tournaments.services.ratings.fitting import fit_pools
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

DOCUMENTS = Path(__file__).with_suffix(".jsonl.gz")
STORED_AT = datetime.fromisoformat("2026-11-10T20:00")
"""The present of the documents."""
OPEN_EVENING = "Antrenman akşamı"


class DemoThere(Exception):
    """A club or account already has a name of the demo."""


def seed_demo(*, password: str, at: datetime) -> Club:
    """Create the demo club as of `at`.

    Raises: DemoThere: the demo exists, or its names are taken; nothing is written.
    """
    with transaction.atomic():
        if Club.objects.filter(slug=SLUG) or User.objects.filter(email__in=ACCOUNTS):
            raise DemoThere
        names, *lines = gzip.decompress(DOCUMENTS.read_bytes()).decode().splitlines()
        club, owner, director = _found_club(
            json.loads(names), password, at=at - timedelta(days=3 * 365)
        )
        seasons, begun = [], (at - timedelta(days=70)).date().replace(day=1)
        for start in (begun.replace(year=begun.year - ago) for ago in (2, 1, 0)):
            end = start + timedelta(days=300)
            name = f"{start.year}" if start.year == end.year else f"{start.year}–{end.year}"
            # Its tournaments count different points.
            dates = SeasonDates(name, start, end, league_points=LeaguePoints.EVENING)
            since = datetime.combine(start, time(19), at.tzinfo)
            seasons.append(create_season(club, dates, owner, at=since))
        evenings = defaultdict(list)
        for document in (_move(line, seasons, at) for line in lines):
            if "tournament" in document:
                import_tournament(document, director, at=at, into=Into(club))
            else:
                evenings[document["title"], document["played_at"][:10]].append(document)
        *past, running = evenings.values()
        for games in past:
            last = max(datetime.fromisoformat(game["played_at"]) for game in games)
            files = [RecordFile(game["title"], json.dumps(game)) for game in games]
            order, over = RecordsRequest(files, games[0]["title"]), last + timedelta(hours=2)
            seen = preview_records(club, order, now=over).mark
            import_records(club.pk, order, seen, director, at=over)
        Event.objects.filter(club=club).update(published=True)
        _play_tonight(club, seasons[-1], running, director, at)
        document = write_ruleset(RULESETS["turkish-king"]) | {"name": f"{SLUG.title()} usulü"}
        create_rules(document, owner, at=at, club=club)
        # The first visitor sees ratings, and how well they predict, even without a worker. So much
        # luck fits these players, who differ more than most do; few games are not fitted.
        luck: dict[str, Any] = {"luck": {"turkish-king": 400}, "version": 1, "fitted_at": at}
        for where in (club, None):
            RatingPool.objects.create(club=where, family="turkish-king", **luck)
        sweep_ratings()
        fit_pools(at)
    return club


def _found_club(names: Sequence[str], password: str, *, at: datetime) -> tuple[Club, Actor, Actor]:
    """Create the club with its accounts and players; return it, its owner and a director."""
    hashed = make_password(password)
    actors = {}
    for email, called in zip(ACCOUNTS, names, strict=False):
        name = f"moda-{email.partition('@')[0]}"
        user = User.objects.create(
            username=name, email=email, first_name=called, password=hashed, date_joined=at
        )
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
        actors[email] = Actor(user)
    owner, director, *_ = actors.values()
    # Created under the short name, for the sake of the slug.
    club = create_club(SLUG.title(), owner, at=at)
    settings = ClubSettings(CLUB, published=True, rates_evenings=True, in_server_ratings=True)
    club = change_settings(club.pk, settings, owner, at=at)
    players = add_players(club, names, owner, at=at)
    # His name in its former spelling.
    merge_players(players[1].pk, add_player(club, "Burak Sahin", owner, at=at).pk, owner, at=at)
    set_initials(players[-1].pk, initials=True, by=owner, at=at)
    for player, (email, role) in zip(players, ACCOUNTS.items(), strict=False):
        if role == Role.DIRECTOR:
            invitation = invite(club, Offer(role), owner, at=at)
            accept_invitation(invitation.pk, actors[email], at=at + timedelta(days=1))
        # Claiming a player makes the account a member.
        claimed = at + timedelta(days=2)
        claim_player(player.public_id, player.claim_secret, actors[email], at=claimed)
    invite(club, Offer(Role.MEMBER, most_uses=None, lasts=timedelta(days=2000)), owner, at=at)
    return club, owner, director


def _move(line: str, seasons: Sequence[Season], at: datetime) -> Any:
    """Return a document moved to `at`: what goes on to the minute, all else by whole days."""
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
    document = json.loads(re.sub(r'"(\d{4}-\d\d-\d\d)(T[\d:]+)?"', move, line))
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
        context = WriteContext("demo-entry", 0, at - timedelta(minutes=number))
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
