"""A tournament as a `kingscore-tournament/1` document (`docs/records.md` §3)."""

from collections import defaultdict
from datetime import datetime
from typing import Any

from tournaments.engine.documents.games import digest_of_document
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.documents.tournaments import (
    FURTHER,
    RESULT_NAMES,
    TOURNAMENT_FORMAT,
    write_ranking,
)
from tournaments.engine.standings.tournament_settings import write_settings
from tournaments.models import (
    Confirmation,
    Entrant,
    Game,
    Player,
    Revision,
    Round,
    Ruling,
    Seat,
    Sitting,
    Substitute,
    Table,
    Tournament,
)
from tournaments.queries.rulesets import parsed_ruleset
from tournaments.queries.sheets import Sheet, load_sheets
from tournaments.queries.state import TournamentState, load_state, settings_of


class People(dict[Player, str]):
    """The ids of the players of a document, in the order of their first mention."""

    def __missing__(self, player: Player) -> str:
        self[player] = f"p{len(self) + 1}"
        return self[player]


def tournament_document(tournament: Tournament) -> dict[str, Any]:
    """Return the document of a tournament, with whole names (15 queries, however large)."""
    event = tournament.event
    document = tournament.document
    people = People()
    state = load_state(tournament)
    # Entrants come first, because they give the players their ids.
    rows = tournament.entrants.select_related("player", "partner").order_by("number")
    entrants = [_entrant(row, people) for row in rows]
    substitutes = _substitutes(tournament, people)
    rounds = _rounds(state, people)
    rulings = _rulings(tournament)
    written = {
        "format": TOURNAMENT_FORMAT,
        "club": {
            "slug": event.club.slug,
            "name": event.club.name,
            **({"time_zone": zone} if (zone := event.club.time_zone) else {}),
        },
        "tournament": _tournament(tournament),
        "ruleset": event.ruleset if document is None else write_ruleset(parsed_ruleset(document)),
        "options": event.options,
        "settings": write_settings(settings_of(tournament)),
        "players": [
            {"id": key, "name": player.name or None, "initials": player.initials}
            for player, key in people.items()
        ],
        "entrants": entrants,
        "substitutes": substitutes,
        "rounds": rounds,
        "rulings": rulings,
        # Newer than the format: left out if there are none.
        **({"line_ups": line_ups} if (line_ups := _line_ups(tournament)) else {}),
    }
    return written | {"digest": digest_of_document(written)}


def _tournament(tournament: Tournament) -> dict[str, Any]:
    event, cancelled = tournament.event, tournament.cancelled_at
    return {
        "slug": tournament.slug,
        "name": event.name,
        "held_on": event.held_on.isoformat(),
        "season": (season := event.season)
        and {
            "name": season.name,
            "starts_on": season.starts_on.isoformat(),
            "ends_on": season.ends_on.isoformat(),
            "league_best": season.league_best,
        },
        "state": str(tournament.state),
        "published": event.published,
        "table_codes": event.table_codes,
        "confirmations": str(event.confirmations),
        "seed": tournament.seed,
        **{name: value for name in FURTHER if (value := getattr(event, name))},
        **({"cancelled_at": _moment(cancelled)} if cancelled else {}),
        **_digest(tournament),
    }


NEWER = ("waiting", "paid", "section", "preferred_table", "missed")
"""The fields of an entrant that are newer than the format: left out if empty."""


def _entrant(row: Entrant, people: People) -> dict[str, Any]:
    return {
        "id": row.key,
        "players": [people[player] for player in row.players],
        "team": row.team,
        "represents": row.represents,
        "house": row.house,
        "joins_in": row.joins_in,
        "withdrawn_at": _moment(row.withdrawn_at),
        "checked_in": row.checked_in,
        "registered_at": _moment(row.registered_at),
        **{name: value for name in NEWER if (value := getattr(row, name))},
    }


def _substitutes(tournament: Tournament, people: People) -> list[dict[str, Any]]:
    rows = Substitute.objects.filter(entrant__tournament=tournament)
    rows = rows.select_related("entrant", "player", "instead_of")
    in_order = sorted(
        rows,
        key=lambda row: (
            row.entrant.number,
            row.round_number,
            row.instead_of_id != row.entrant.player_id,
            row.pk,
        ),
    )
    return [
        {
            "entrant": row.entrant.key,
            "round": row.round_number,
            "instead_of": people[row.instead_of],
            "player": people[row.player],
        }
        for row in in_order
    ]


def _rulings(tournament: Tournament) -> list[dict[str, Any]]:
    rows = Ruling.objects.filter(entrant__tournament=tournament).select_related("round", "entrant")
    return [
        {
            "round": row.round.number,
            "entrant": row.entrant.key,
            "kind": str(row.kind),
            "points": row.points,
            "reason": row.reason,
            "at": _moment(row.at),
            "withdrawn_at": _moment(row.withdrawn_at),
        }
        for row in rows.order_by("round__number", "pk")
    ]


def _line_ups(tournament: Tournament) -> list[dict[str, Any]]:
    return [
        {"round": int(number), "team": team, "entrants": players}
        for number, teams in sorted(tournament.line_ups.items(), key=lambda item: int(item[0]))
        for team, players in sorted(teams.items())
    ]


# The rounds, with their tables.


class TableContents:
    """All that stands at a tournament's tables, by the keys of rounds, tables and games."""

    def __init__(self, event: int) -> None:
        self.tables: dict[int, list[Table]] = defaultdict(list)
        for table in Table.objects.filter(round__event=event).order_by("number"):
            self.tables[table.round_id].append(table)
        # The entrants at each table, and those of each round who are out.
        self.sitting: dict[int | None, list[str]] = defaultdict(list)
        self.byes: dict[int, list[str]] = defaultdict(list)
        sittings = Sitting.objects.filter(round__event=event).select_related("entrant")
        for row in sittings.order_by("side", "entrant__number"):
            if row.table_id is None:
                self.byes[row.round_id].append(row.entrant.key)
            else:
                self.sitting[row.table_id].append(row.entrant.key)
        self.seats: dict[int, list[Player]] = defaultdict(list)
        at_tables = Seat.objects.filter(game__table__round__event=event).select_related("player")
        for seat in at_tables.order_by("number"):
            self.seats[seat.game_id].append(seat.player)
        self.confirmations: dict[int, list[Confirmation]] = defaultdict(list)
        confirmations = Confirmation.objects.filter(game__table__round__event=event)
        for given in confirmations.order_by("revision", "seat"):
            self.confirmations[given.game_id].append(given)
        games = Game.objects.filter(table__round__event=event).order_by("pk")
        self.sheets = {sheet.row.table_id: sheet for sheet in load_sheets(games)}


def _rounds(state: TournamentState, people: People) -> list[dict[str, Any]]:
    contents = TableContents(state.tournament.event_id)
    rows = Round.objects.filter(event=state.tournament.event_id).select_related("draw")
    return [_round(row, state, contents, people) for row in rows.order_by("number")]


def _round(
    row: Round, state: TournamentState, contents: TableContents, people: People
) -> dict[str, Any]:
    seating = row.seating
    closed: dict[str, Any] = {}
    if row.closed_at is not None:
        closed["ranking"] = write_ranking(state.standings_before(row.number + 1))
        closed |= _digest(row)
    return closed | {
        "number": row.number,
        "stage": row.stage,
        "published_at": _moment(row.published_at),
        "opened_at": _moment(row.opened_at),
        "closed_at": _moment(row.closed_at),
        "clock": {
            "seconds": row.clock_seconds,
            "used": row.clock_used,
            "started_at": _moment(row.clock_started_at),
        },
        "seating": seating
        and {
            "tables": seating["tables"],
            "byes": seating["byes"],
            "locked": seating.get("locked", []),
        },
        "standings": row.standings,
        "tables": [_table(table, contents, people) for table in contents.tables[row.pk]],
        "byes": contents.byes[row.pk],
        # Newer than the format: left out if nothing was drawn.
        **({"draw": row.draw.document} if hasattr(row, "draw") else {}),
    }


def _table(table: Table, contents: TableContents, people: People) -> dict[str, Any]:
    sheet = contents.sheets[table.pk]
    return {
        "number": table.number,
        "entrants": contents.sitting[table.pk],
        "seats": [people[player] for player in contents.seats[sheet.row.pk]],
        "extra_seconds": table.extra_seconds,
        "game": {
            "record": sheet.record,
            "writes": [_write(write) for write in sheet.revisions],
            "confirmations": [
                {"seat": given.seat, "revision": given.revision, "at": _moment(given.at)}
                for given in contents.confirmations[sheet.row.pk]
            ],
            **_result(sheet),
            **_digest(sheet.row),
        },
    }


def _digest(row: Tournament | Round | Game) -> dict[str, str]:
    return {"digest": row.digest} if row.digest else {}


def _result(sheet: Sheet) -> dict[str, Any]:
    result = sheet.row.result
    return {} if result is None else {"result": {name: result[name] for name in RESULT_NAMES}}


def _write(write: Revision) -> dict[str, Any]:
    return {
        "revision": write.revision,
        "kind": str(write.kind),
        "position": write.position,
        "body": write.body,
        "before": write.before,
        "author": write.author,
        "reason": write.reason,
        "at": _moment(write.at),
        "key": write.key,
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
