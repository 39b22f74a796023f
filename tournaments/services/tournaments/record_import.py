"""Import a tournament of another server from its `kingscore-tournament/1` document."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.games import as_one_entry, read_rules
from tournaments.engine.documents.shapes import EVENT_FIELDS
from tournaments.engine.documents.tournaments import number_of_entrant, read_tournament
from tournaments.engine.rules.entries import clean_lines
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem
from tournaments.engine.rules.scoring import sums_of
from tournaments.engine.standings.tournament_settings import read_settings
from tournaments.models import (
    AuditEntry,
    Club,
    Confirmation,
    Draw,
    Entrant,
    Event,
    Game,
    Member,
    Player,
    Revision,
    Role,
    Round,
    Ruling,
    Season,
    Seat,
    Sitting,
    Substitute,
    Table,
    Tournament,
    User,
)
from tournaments.models.people import fold_name
from tournaments.queries.known_games import KnownGames, sheet_of
from tournaments.queries.sheets import fold_sheet, put_computed
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.writes import Refused, free_slugs
from tournaments.services.events.events import (
    OtherLeaguePoints,
    check_league,
    seal_rounds,
    subject_of,
)
from tournaments.services.people.players import (
    NoName,
    add_player,
    clean_name,
    find_player,
    let_names_follow,
    lock_people,
)
from tournaments.services.ratings.computing import rate_event_again

Json = Mapping[str, Any]


class TournamentExists(Refused, code="tournament-exists"):
    sentence = _("There is a tournament with this slug.")


class GamesExist(Refused, code="games-exist"):
    sentence = _("Games are here already that would be rated twice: %(number)s of this document.")


class ClubExists(Exception):
    """A club with this slug exists, and the request does not say that it is the same club."""


@dataclass(frozen=True, slots=True)
class Into:
    """The target of the import: an existing club, or a new one with an optional `owner`.

    With `elsewhere`, a tournament whose slug is taken gets another one.
    """

    club: Club | None = None
    owner: User | None = None
    elsewhere: bool = False


def import_tournament(
    document: Any, by: Actor, *, at: datetime, into: Into | None = None
) -> Tournament:
    """Import a tournament from its document; everything gets new addresses.

    In an existing club, players and seasons are matched by name.

    Raises: InvalidEntry, TournamentExists, ClubExists, GamesExist. Nothing is written then.
    """
    _check_names(read_tournament(document).document)
    # What a code on paper covers stays: the reasons of adjustments, and the rules of a game.
    cleaned = clean_lines(document, but=("body", "entries", "ruleset"))
    if cleaned != document:
        # A name of which nothing is seen is empty now.
        read_tournament(cleaned)
        document = cleaned
    into = into or Into()
    slug = document["tournament"]["slug"]
    if into.elsewhere:
        # Slugs like this one begin with its stem.
        taken = Tournament.objects.filter(slug__startswith=slug[:30]).values_list("slug", flat=True)
        slug = next(free_slugs(slug, "tournament", 60, set(taken)))
    try:
        with transaction.atomic():
            if Tournament.objects.filter(slug=slug).exists():
                raise TournamentExists
            club = _club(document["club"], into, by, at)
            tournament = _tournament(document, slug, club, at)
            _fill(document, tournament, by, at)
            event = tournament.event
            rate_event_again(event)
            details = {"name": event.name, "held_on": str(event.held_on)}
            kind, subject = AuditEntry.Kind.EVENT, subject_of(event)
            change = Change(kind, "import-tournament", subject, after=details, event=event)
            note_change(club, change, by, at=at)
            seal_rounds(tournament, by, at=at)
    except IntegrityError as error:
        # Of two imports at once, the unique slugs let one succeed.
        if Tournament.objects.filter(slug=slug).exists():
            raise TournamentExists from error
        raise
    return tournament


def _check_names(document: Json) -> None:
    """Refuse invalid names, and names used twice.

    Raises: InvalidEntry: contains every such name.
    """
    problems: list[Problem] = []
    taken: set[str] = set()
    for at, player in enumerate(document["players"]):
        name = player["name"]
        if name is None:
            continue
        try:
            fine = clean_name(name) == name
        except NoName:
            fine = False
        key = fold_name(name)
        if not fine or key in taken:
            problems.append(Problem(Code.WRONG_PLAYERS, f"players[{at}].name", {"name": name}))
        taken.add(key)
    if problems:
        raise InvalidEntry(problems)


def _club(data: Json, into: Into, by: Actor, at: datetime) -> Club:
    if into.club is not None:
        return lock_people(into.club.pk)
    if Club.objects.filter(slug=data["slug"]).exists():
        raise ClubExists
    zone = data.get("time_zone", "")
    club = Club.objects.create(slug=data["slug"], name=data["name"], time_zone=zone, created_at=at)
    made = Change(AuditEntry.Kind.SETTINGS, "create", after={"name": club.name})
    note_change(club, made, by, at=at)
    if into.owner is not None:
        Member.objects.create(club=club, user=into.owner, role=Role.OWNER, joined_at=at)
        subject = f"account:{into.owner.pk}"
        joined = Change(AuditEntry.Kind.ROLE, "join", subject, after={"role": Role.OWNER})
        note_change(club, joined, by, at=at)
    return club


def _tournament(document: Json, slug: str, club: Club, at: datetime) -> Tournament:
    data, rules = document["tournament"], document["ruleset"]
    values = {name: data[name] for name in EVENT_FIELDS if name in data}
    event = Event.objects.create(
        club=club,
        season=_season(document, club),
        ruleset=rules["id"] if isinstance(rules, dict) else rules,
        options=document["options"],
        created_at=at,
        **values | {"held_on": date.fromisoformat(data["held_on"])},
    )
    return Tournament.objects.create(
        event=event,
        slug=slug,
        state=data["state"],
        document=rules if isinstance(rules, dict) else None,
        settings=document["settings"],
        seed=data["seed"],
        cancelled_at=_moment(data.get("cancelled_at")),
        line_ups=_line_ups(document.get("line_ups", ())),
    )


def _line_ups(data: Sequence[Json]) -> dict[str, dict[str, list[str]]]:
    rounds: dict[str, dict[str, list[str]]] = {}
    for each in data:
        rounds.setdefault(str(each["round"]), {})[each["team"]] = list(each["entrants"])
    return rounds


def _season(document: Json, club: Club) -> Season | None:
    """Return the season, made if it is missing; None if its league adds other points here."""
    data = document["tournament"]["season"]
    if data is None:
        return None
    days = {name: date.fromisoformat(data[name]) for name in ("starts_on", "ends_on")}
    defaults = {**days, "league_best": data["league_best"]}
    season = Season.objects.get_or_create(club=club, name=data["name"], defaults=defaults)[0]
    try:
        check_league(season, read_settings(document["settings"]), None)
    except OtherLeaguePoints:
        return None
    return season


def _fill(document: Json, tournament: Tournament, by: Actor, at: datetime) -> None:
    players = _players(document["players"], tournament.event.club, by, at)
    _refuse_known_games(document, players)
    entrants = _entrants(document["entrants"], tournament, players)
    Substitute.objects.bulk_create(
        Substitute(
            entrant=entrants[each["entrant"]],
            round_number=each["round"],
            instead_of=players[each["instead_of"]],
            player=players[each["player"]],
        )
        for each in document["substitutes"]
    )
    places = _rounds(document["rounds"], tournament)
    for data in document["rounds"]:
        _lay(data, places[data["number"]], entrants, players)
    Ruling.objects.bulk_create(
        Ruling(
            round=places[each["round"]],
            entrant=entrants[each["entrant"]],
            at=datetime.fromisoformat(each["at"]),
            withdrawn_at=_moment(each["withdrawn_at"]),
            **{name: each[name] for name in ("kind", "points", "reason")},
        )
        for each in document["rulings"]
    )
    for each in document["players"]:
        player = players[each["id"]]
        there = Player(name=each["name"] or "", initials=each["initials"])
        if there.shown_name != player.shown_name:
            seats = Seat.objects.filter(player=player, game__table__round__event=tournament.event)
            let_names_follow(seats, {there.name, there.shown_name})


def _players(data: Sequence[Json], club: Club, by: Actor, at: datetime) -> dict[str, Player]:
    """Return the players by their ids: existing ones of the club by name, and new ones.

    Raises: InvalidEntry: two of them are the same player of the club.
    """
    players = {each["id"]: _player(each, club, by, at) for each in data}
    times = Counter(player.pk for player in players.values())
    problems = [
        Problem(Code.WRONG_PLAYERS, f"players[{place}].name", {"name": each["name"]})
        for place, each in enumerate(data)
        if times[players[each["id"]].pk] > 1
    ]
    if problems:
        raise InvalidEntry(problems)
    return players


def _refuse_known_games(document: Json, players: Mapping[str, Player]) -> None:
    """Refuse games that somebody would be rated for a second time.

    Raises: GamesExist: says how many there are.
    """
    games = [
        (datetime.fromisoformat(record["played_at"]), table["seats"], record)
        for round_ in document["rounds"]
        for table in round_["tables"]
        for record in [table["game"]["record"]]
        if record["entries"]
    ]
    known = KnownGames(list(players.values()), [moment for moment, _seats, _record in games])
    number = sum(
        known.find(moment, [players[name] for name in seats], sheet_of(record)) is not None
        for moment, seats, record in games
    )
    if number:
        raise GamesExist({"number": number}, {"number": number})


def _player(data: Json, club: Club, by: Actor, at: datetime) -> Player:
    if data["name"] is None:
        # A player removed there does not become a player of this club.
        return Player.objects.create(club=club, created_at=at, removed_at=at)
    found = find_player(club, data["name"])
    if found is not None:
        return found
    player = add_player(club, data["name"], by, at=at)
    if data["initials"]:
        player.initials = True
        player.save(update_fields=["initials"])
    return player


def _entrants(
    data: Sequence[Json], tournament: Tournament, players: Mapping[str, Player]
) -> dict[str, Entrant]:
    same = ("team", "represents", "house", "joins_in", "checked_in")
    rows = [
        Entrant(
            tournament=tournament,
            number=number_of_entrant(each["id"]),
            player=players[each["players"][0]],
            partner=players[each["players"][1]] if len(each["players"]) > 1 else None,
            withdrawn_at=_moment(each["withdrawn_at"]),
            registered_at=datetime.fromisoformat(each["registered_at"]),
            waiting=each.get("waiting", False),
            paid=each.get("paid", False),
            section=each.get("section", ""),
            preferred_table=each.get("preferred_table"),
            missed=each.get("missed", ""),
            **{name: each[name] for name in same},
        )
        for each in data
    ]
    return {row.key: row for row in Entrant.objects.bulk_create(rows)}


def _rounds(data: Sequence[Json], tournament: Tournament) -> dict[int, Round]:
    moments = ("published_at", "opened_at", "closed_at")
    same = ("number", "stage", "seating", "standings")
    rows = [
        Round(
            event=tournament.event,
            clock_seconds=each["clock"]["seconds"],
            clock_used=each["clock"]["used"],
            clock_started_at=_moment(each["clock"]["started_at"]),
            **{name: _moment(each[name]) for name in moments},
            **{name: each[name] for name in same},
        )
        for each in data
    ]
    rounds = {row.number: row for row in Round.objects.bulk_create(rows)}
    Draw.objects.bulk_create(
        Draw(round=rounds[each["number"]], document=each["draw"]) for each in data if "draw" in each
    )
    return rounds


def _lay(
    data: Json, round_: Round, entrants: Mapping[str, Entrant], players: Mapping[str, Player]
) -> None:
    tables = Table.objects.bulk_create(
        Table(round=round_, number=each["number"], extra_seconds=each["extra_seconds"])
        for each in data["tables"]
    )
    laid = list(zip(data["tables"], tables, strict=True))
    Sitting.objects.bulk_create(
        Sitting(round=round_, table=table, side=side, entrant=entrants[name])
        for each, table in laid
        for side, name in enumerate(each["entrants"])
    )
    Sitting.objects.bulk_create(
        Sitting(round=round_, entrant=entrants[name]) for name in data["byes"]
    )
    sheets = [_with_totals(each["game"]) for each in data["tables"]]
    games = Game.objects.bulk_create(map(_game, sheets, tables))
    for sheet, game in zip(sheets, games, strict=True):
        _write_sheet(sheet, game)
    Seat.objects.bulk_create(
        Seat(game=game, number=number, player=players[name])
        for (each, _table), game in zip(laid, games, strict=True)
        for number, name in enumerate(each["seats"])
    )
    Game.objects.bulk_update(games, ["result", "digest"], batch_size=100)


def _game(data: Json, table: Table) -> Game:
    record = data["record"]
    rules = record["ruleset"]
    return Game(
        table=table,
        ruleset=rules["id"] if isinstance(rules, dict) else rules,
        document=rules if isinstance(rules, dict) else None,
        options=record.get("options", {}),
        players=record["players"],
        first_declarer=record.get("first_declarer", 0),
        title=record.get("title", ""),
        place=record.get("place", ""),
        stake=record.get("stake"),
        played_at=datetime.fromisoformat(record["played_at"]),
        revision=len(data["writes"]),
    )


def _with_totals(data: Json) -> Json:
    record = data["record"]
    rules = read_rules(record["ruleset"]).with_options(record.get("options", {}))
    one = as_one_entry(data["writes"], rules, sums_of(rules).game)
    if one is None:
        return data
    confirmations = [
        each | {"revision": one.revision_now(each["revision"])} for each in data["confirmations"]
    ]
    return {**data, "writes": one.writes, "confirmations": confirmations}


def _write_sheet(data: Json, game: Game) -> None:
    same = ("revision", "kind", "position", "body", "before", "author", "reason", "key")
    writes = [
        Revision(
            game=game, at=datetime.fromisoformat(each["at"]), **{name: each[name] for name in same}
        )
        for each in data["writes"]
    ]
    Revision.objects.bulk_create(writes)
    Confirmation.objects.bulk_create(
        Confirmation(
            game=game,
            seat=each["seat"],
            revision=each["revision"],
            at=datetime.fromisoformat(each["at"]),
        )
        for each in data["confirmations"]
    )
    put_computed(fold_sheet(game, tuple(writes)))


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
