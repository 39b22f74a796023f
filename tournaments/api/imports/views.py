"""Addresses of imports, and what they answer."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    PlayersPlanSerializer,
)
from tournaments.api.problems import Json, engine_faults, fault, listed
from tournaments.api.views import BaseAPIView, ClubMixin
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.models import Club, Player
from tournaments.models.people import fold_name
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


class ImportView(ClubMixin, BaseAPIView):
    """The base of imports: all or nothing, or a plan of what would be imported."""

    serializer_class: Any = GamesPlanSerializer

    def preview(self, data: Json) -> Any:
        raise NotImplementedError

    def details(self, plan: Any, data: Json) -> Json:
        raise NotImplementedError

    def store(self, data: Json, seen: str) -> int:
        """Import, if the plan has this mark; return how many players or games were added."""
        raise NotImplementedError

    def import_or_plan(self) -> Response:
        """Answer the plan, or raise Refused where it has problems or is not the one seen."""
        data = self.get_validated()
        plan = self.preview(data)
        details = self.details(plan, data)
        if data["dry_run"]:
            return self.respond({**details, "imported": 0})
        if details["problems"]:
            raise Invalid(faults=[fault(**each) for each in details["problems"]])
        try:
            imported = self.store(data, data["seen"] or plan.mark)
        except PlanChanged as error:
            # Sent twice, there is nothing left to be imported.
            if not error.plan.is_done:
                raise
            imported = 0
        status = 201 if imported else 200
        return self.respond({**details, "imported": imported}, status=status)


class ImportPlayersView(ImportView):
    serializer_class = PlayersPlanSerializer
    request_serializer_class = ImportPlayersSerializer

    @extend_schema(responses={200: PlayersPlanSerializer, 201: PlayersPlanSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Take over players; those who are there already are left alone."""
        return self.import_or_plan()

    def request_of(self, data: Json) -> PlayersRequest:
        return PlayersRequest([PlayerLine(n, **line) for n, line in enumerate(data["lines"], 1)])

    def preview(self, data: Json) -> Any:
        return preview_players(self.club, self.request_of(data))

    def details(self, plan: Any, data: Json) -> Json:
        return {"seen": plan.mark, "problems": line_problems(plan.faults), "lines": plan.seen}

    def store(self, data: Json, seen: str) -> int:
        wanted = self.request_of(data)
        return import_players(self.club.pk, wanted, seen, self.actor, at=timezone.now())


class ImportResultsView(ImportView):
    request_serializer_class = ImportResultsSerializer

    @extend_schema(responses={200: GamesPlanSerializer, 201: GamesPlanSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Take over results of past evenings, of which only the totals are known."""
        return self.import_or_plan()

    def request_of(self, data: Json) -> ResultsRequest:
        lines = list(_result_lines(data))
        return ResultsRequest(
            lines,
            _rules(self.club, data),
            options=data["options"],
            early=data["early"],
            meant=_meant(data),
            faults=list(_wrong_days(lines)),
        )

    def preview(self, data: Json) -> Any:
        return preview_results(self.club, self.request_of(data))

    def details(self, plan: Any, data: Json) -> Json:
        return results_details(plan, _meant(data))

    def store(self, data: Json, seen: str) -> int:
        wanted = self.request_of(data)
        return import_results(self.club.pk, wanted, seen, self.actor, at=timezone.now()).games


def _result_lines(data: Json) -> list[ResultLine]:
    evening = _evening(data)
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
        for number, line in enumerate(data["lines"], 1)
    ]


def _wrong_days(lines: Sequence[ResultLine]) -> Iterator[ImportFault]:
    """The days on which nothing can have been played."""
    today = timezone.localdate()
    for line in lines:
        if line.day is not None and not FIRST_DAY <= line.day <= today:
            code = Wrong.DAY_TO_COME if line.day > today else Wrong.NO_DAY
            yield ImportFault(code, line.number, "date", {"text": str(line.day)})


def _rules(club: Club, data: Json) -> Ruleset:
    """The ruleset that was played; InvalidEntry where the club or its options have none such."""
    rules = find_ruleset_of_club(data["ruleset"], club)
    if rules is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": data["ruleset"]})])
    rules.with_options(data["options"])
    return rules


class ImportRecordsView(ImportView):
    request_serializer_class = ImportRecordsSerializer

    @extend_schema(responses={200: GamesPlanSerializer, 201: GamesPlanSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Take over records of whole games into past evenings."""
        return self.import_or_plan()

    def request_of(self, data: Json) -> RecordsRequest:
        files = [
            RecordFile(f"records.{number}", json.dumps(record))
            for number, record in enumerate(data["records"])
        ]
        return RecordsRequest(files, _evening(data), _meant(data))

    def preview(self, data: Json) -> Any:
        return preview_records(self.club, self.request_of(data), now=timezone.now())

    def details(self, plan: Any, data: Json) -> Json:
        return records_details(plan, _meant(data))

    def store(self, data: Json, seen: str) -> int:
        wanted = self.request_of(data)
        return import_records(self.club.pk, wanted, seen, self.actor, at=timezone.now()).games


def _evening(data: Json) -> str:
    return data["evening"] or gettext("Evening")


def _meant(data: Json) -> dict[str, str]:
    return {fold_name(name): chosen for name, chosen in data["meant"].items() if chosen}
