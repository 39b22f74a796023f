"""Addresses at which a club takes over players, results and records."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.imports.answers import line_problems, records_details, results_details
from tournaments.api.imports.serializers import (
    GamesPlanSerializer,
    ImportPlayersSerializer,
    ImportRecordsSerializer,
    ImportResultsSerializer,
    PlanSerializer,
    PlayersPlanSerializer,
)
from tournaments.api.problems import Json, fault
from tournaments.api.views import Resource
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.models import Club
from tournaments.models.people import fold_name
from tournaments.permissions import directed_club
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.services.base.writes import Invalid
from tournaments.services.imports.files import (
    ImportFault,
    PlanChanged,
    PlayerLine,
    PlayersAsked,
    Wrong,
    import_players,
    preview_players,
)
from tournaments.services.imports.records import (
    RecordFile,
    RecordsAsked,
    import_records,
    preview_records,
)
from tournaments.services.imports.results import (
    ResultLine,
    ResultsAsked,
    import_results,
    preview_results,
)

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
        asked = PlayersAsked([PlayerLine(n, **line) for n, line in enumerate(said["lines"], 1)])

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
        asked = ResultsAsked(
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
        asked = RecordsAsked(files, _evening(said), meant)

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
