"""Addresses at which a club takes over players, results and records."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.importing.serializers import (
    GamesPlanSerializer,
    ImportPlayersSerializer,
    ImportRecordsSerializer,
    ImportResultsSerializer,
    PlanSerializer,
    PlayersPlanSerializer,
)
from tournaments.api.importing.telling import line_problems, records_told, results_told
from tournaments.api.problems import Answer, Json, Refused, invalid
from tournaments.api.views import Resource
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import Ruleset
from tournaments.models import Club
from tournaments.models.people import fold_name
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.services.importing.faults import Fault, PlanChanged, Wrong
from tournaments.services.importing.players import (
    PlayerLine,
    PlayersAsked,
    foresee_players,
    import_players,
)
from tournaments.services.importing.records import (
    RecordFile,
    RecordsAsked,
    foresee_records,
    import_records,
)
from tournaments.services.importing.results import (
    ResultLine,
    ResultsAsked,
    foresee_results,
    import_results,
)
from tournaments.visitors import directed_club

FIRST_DAY = date(1900, 1, 1)


@dataclass(frozen=True)
class Import:
    """An import as it was asked for: how its plan is made, told and carried out."""

    foresee: Callable[[], Any]
    told: Callable[[Any], Json]
    # Takes the mark of the plan; how many players or games it has added.
    store: Callable[[str], int]
    shape: type[PlanSerializer]


class ImportResource(Resource):
    """What the addresses of imports share."""

    def answer(self, said: Json, wanted: Import) -> Response:
        """Import something, all or nothing, or tell what would be imported.

        Raises:
            Refused: something is wrong, or the plan is not the one that was seen.
        """
        plan = wanted.foresee()
        told = wanted.told(plan)
        if said["dry_run"]:
            return self.shown(wanted.shape, {**told, "imported": 0})
        if told["problems"]:
            raise Refused(invalid(told["problems"]))
        try:
            imported = wanted.store(said["seen"] or plan.mark)
        except PlanChanged as error:
            # Sent twice, there is nothing left to be imported.
            if not error.plan.is_done:
                raise Refused(_changed(error.plan)) from error
            imported = 0
        return self.shown(wanted.shape, {**told, "imported": imported}, 201 if imported else 200)


def _changed(plan: Any) -> Answer:
    title = _("It would be imported otherwise now: look at it once more.")
    return Answer(409, "plan-changed", title, more={"seen": plan.mark})


class ImportPlayers(ImportResource):
    """`/clubs/{slug}/imports/players/`."""

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
            lambda: foresee_players(club, asked), _players, store, PlayersPlanSerializer
        )
        return self.answer(said, wanted)


def _players(plan: Any) -> Json:
    return {"seen": plan.mark, "problems": line_problems(plan.faults), "lines": plan.seen}


class ImportResults(ImportResource):
    """`/clubs/{slug}/imports/results/`."""

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
            lambda: foresee_results(club, asked),
            lambda plan: results_told(plan, meant),
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


def _wrong_days(lines: Sequence[ResultLine]) -> Iterator[Fault]:
    """The days on which nothing can have been played."""
    today = timezone.localdate()
    for line in lines:
        if line.day is not None and not FIRST_DAY <= line.day <= today:
            code = Wrong.DAY_TO_COME if line.day > today else Wrong.NO_DAY
            yield Fault(code, line.number, "date", {"text": str(line.day)})


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
    """`/clubs/{slug}/imports/records/`."""

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
            lambda: foresee_records(club, asked, now=timezone.now()),
            lambda plan: records_told(plan, meant),
            store,
            GamesPlanSerializer,
        )
        return self.answer(said, wanted)


def _evening(said: Json) -> str:
    """What an evening without a name is called."""
    return said["evening"] or gettext("Evening")


def _meant(said: Json) -> dict[str, str]:
    return {fold_name(name): chosen for name, chosen in said["meant"].items() if chosen}
