"""Addresses of imports, and what they answer."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.imports.serializers import (
    GamesPlanSerializer,
    ImportPlayersSerializer,
    ImportRecordsSerializer,
    ImportResultsSerializer,
    PlanSerializer,
    PlayersPlanSerializer,
)
from tournaments.api.problems import Json, engine_faults, fault, listed
from tournaments.api.views import Resource, idempotent
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.models import Club, Player
from tournaments.models.people import fold_name
from tournaments.permissions import directed_club
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.services.base.writes import Invalid
from tournaments.services.imports.files import (
    ImportFault,
    PlanChanged,
    PlayerLine,
    PlayersRequest,
    Who,
    Wrong,
    import_players,
    name_questions,
    preview_players,
)
from tournaments.services.imports.records import (
    RecordFile,
    RecordSeen,
    RecordsPlan,
    RecordsRequest,
    fault_text,
    import_records,
    preview_records,
)
from tournaments.services.imports.results import (
    GameSeen,
    ResultLine,
    ResultsPlan,
    ResultsRequest,
    import_results,
    preview_results,
)


def line_problems(faults: Iterable[ImportFault], within: str = "lines") -> list[Json]:
    """Return the problems of lines, numbered from 1, each with its path."""
    return [_problem(each, within) for each in faults]


def _problem(each: ImportFault, within: str) -> Json:
    where = ".".join(filter(None, (within, str(each.line - 1), each.column)))
    params = {name: _details(value) for name, value in each.params.items()}
    return listed(fault(each.code.value, where, fault_text(each), params))


def _details(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Player):
        return {"id": value.public_id, "name": value.name}
    if isinstance(value, tuple | list):
        return [_details(each) for each in value]
    return write_points(value) if isinstance(value, Fraction) else value


def _of_record(seen: RecordSeen) -> list[Json]:
    at = f"records.{seen.number - 1}"
    entry = "" if seen.entry is None else f".entries.{seen.entry}"
    found = map(listed, engine_faults(seen.problems, at + entry))
    return [*found, *line_problems(seen.faults, "records")]


def results_details(plan: ResultsPlan, meant: Mapping[str, str]) -> Json:
    """Return the effect of importing results."""
    named = (line.name for line in plan.asked.lines)
    return {
        "seen": plan.mark,
        "problems": line_problems(plan.faults),
        "games": [_game(game) for game in plan.games],
        "new_players": plan.new_names,
        "doubtful": name_questions(plan.book, named, meant),
    }


def records_details(plan: RecordsPlan, meant: Mapping[str, str]) -> Json:
    """Return the effect of importing records."""
    named = (name for seen in plan.seen for name in seen.typed)
    return {
        "seen": plan.mark,
        "problems": [problem for seen in plan.wrong for problem in _of_record(seen)],
        "games": [_record(seen) for seen in plan.seen if seen.fits],
        "new_players": plan.new_names,
        "doubtful": name_questions(plan.book, named, meant),
    }


def _game(game: GameSeen) -> Json:
    first, typed = game.first, [line.name for line in game.lines]
    return {
        "date": first.day,
        "evening": first.evening,
        "round": first.round,
        "table": first.table,
        "there": game.there,
        "players": _seated(game.who, typed),
    }


def _record(seen: RecordSeen) -> Json:
    return {
        "date": seen.day,
        "evening": seen.evening,
        # Of one that is there already nobody asks where.
        "round": seen.round or None,
        "table": seen.table or None,
        "there": seen.there,
        "players": _seated(seen.who, seen.typed),
    }


def _seated(seats: Sequence[Who | None], typed: Sequence[str]) -> list[Json]:
    return [_at_seat(who, name) for who, name in zip(seats, typed, strict=True)]


def _at_seat(who: Who | None, typed: str) -> Json:
    if isinstance(who, Player):
        return {"id": who.public_id, "name": who.name}
    return {"id": None, "name": who or typed}


FIRST_DAY = date(1900, 1, 1)


@dataclass(frozen=True)
class Import:
    """A requested import: functions that plan, show and run it."""

    preview_entries: Callable[[], Any]
    details: Callable[[Any], Json]
    # Takes the mark of the plan; how many players or games it has added.
    store: Callable[[str], int]
    shape: type[PlanSerializer]


class ImportResource(Resource):
    """Base of the addresses of imports."""

    def answer(self, said: Json, wanted: Import) -> Response:
        """Import something, all or nothing, or tell what would be imported.

        Raises:
            Refused: something is wrong, or the plan is not the one that was seen.
        """
        plan = wanted.preview_entries()
        details = wanted.details(plan)
        if said["dry_run"]:
            return self.shown(wanted.shape, {**details, "imported": 0})
        if details["problems"]:
            raise Invalid(faults=[fault(**each) for each in details["problems"]])
        try:
            imported = wanted.store(said["seen"] or plan.mark)
        except PlanChanged as error:
            # Sent twice, there is nothing left to be imported.
            if not error.plan.is_done:
                raise
            imported = 0
        return self.shown(wanted.shape, {**details, "imported": imported}, 201 if imported else 200)


class ImportPlayers(ImportResource):
    @extend_schema(
        request=ImportPlayersSerializer,
        responses={200: PlayersPlanSerializer, 201: PlayersPlanSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Take over players; those who are there already are left alone."""
        club = directed_club(self.visitor, slug)
        said = self.said(ImportPlayersSerializer)
        asked = PlayersRequest([PlayerLine(n, **line) for n, line in enumerate(said["lines"], 1)])

        def store(seen: str) -> int:
            return import_players(club.pk, asked, seen, self.actor, at=timezone.now())

        wanted = Import(
            lambda: preview_players(club, asked), _players, store, PlayersPlanSerializer
        )
        return self.answer(said, wanted)


def _players(plan: Any) -> Json:
    return {"seen": plan.mark, "problems": line_problems(plan.faults), "lines": plan.seen}


class ImportResults(ImportResource):
    @extend_schema(
        request=ImportResultsSerializer,
        responses={200: GamesPlanSerializer, 201: GamesPlanSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Take over results of past evenings, of which only the totals are known."""
        club = directed_club(self.visitor, slug)
        said = self.said(ImportResultsSerializer)
        lines = list(_result_lines(said))
        meant = _meant(said)
        asked = ResultsRequest(
            lines,
            _rules(club, said),
            options=said["options"],
            early=said["early"],
            meant=meant,
            faults=list(_wrong_days(lines)),
        )

        def store(seen: str) -> int:
            return import_results(club.pk, asked, seen, self.actor, at=timezone.now()).games

        wanted = Import(
            lambda: preview_results(club, asked),
            lambda plan: results_details(plan, meant),
            store,
            GamesPlanSerializer,
        )
        return self.answer(said, wanted)


def _result_lines(said: Json) -> list[ResultLine]:
    evening = _evening(said)
    return [
        ResultLine(
            number,
            line["date"],
            line["evening"] or evening,
            line["round"],
            line["table"],
            line["player"],
            line["points"],
        )
        for number, line in enumerate(said["lines"], 1)
    ]


def _wrong_days(lines: Sequence[ResultLine]) -> Iterator[ImportFault]:
    """The days on which nothing can have been played."""
    today = timezone.localdate()
    for line in lines:
        if line.day is not None and not FIRST_DAY <= line.day <= today:
            code = Wrong.DAY_TO_COME if line.day > today else Wrong.NO_DAY
            yield ImportFault(code, line.number, "date", {"text": str(line.day)})


def _rules(club: Club, said: Json) -> Ruleset:
    """The ruleset that was played, if its options can be.

    Raises:
        InvalidEntry: it is none of the club's, or they cannot.
    """
    rules = find_ruleset_of_club(said["ruleset"], club)
    if rules is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": said["ruleset"]})])
    rules.with_options(said["options"])
    return rules


class ImportRecords(ImportResource):
    @extend_schema(
        request=ImportRecordsSerializer,
        responses={200: GamesPlanSerializer, 201: GamesPlanSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Take over records of whole games into past evenings."""
        club = directed_club(self.visitor, slug)
        said = self.said(ImportRecordsSerializer)
        meant = _meant(said)
        files = [
            RecordFile(f"records.{number}", json.dumps(record))
            for number, record in enumerate(said["records"])
        ]
        asked = RecordsRequest(files, _evening(said), meant)

        def store(seen: str) -> int:
            return import_records(club.pk, asked, seen, self.actor, at=timezone.now()).games

        wanted = Import(
            lambda: preview_records(club, asked, now=timezone.now()),
            lambda plan: records_details(plan, meant),
            store,
            GamesPlanSerializer,
        )
        return self.answer(said, wanted)


def _evening(said: Json) -> str:
    return said["evening"] or gettext("Evening")


def _meant(said: Json) -> dict[str, str]:
    return {fold_name(name): chosen for name, chosen in said["meant"].items() if chosen}
