"""Imports in the API: players, results of past evenings, and records of games.

Begin at `ImportView`: with `dry_run` it answers a plan, else it stores everything or nothing.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.imports import serializers
from tournaments.api.problems import Json, engine_faults, fault, listed
from tournaments.api.views import BaseAPIView, ClubMixin
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem
from tournaments.models import Player
from tournaments.models.people import fold_name
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.services.base.writes import Invalid
from tournaments.services.imports import files, names, records, results


def line_problems(faults: Iterable[files.ImportFault], within: str = "lines") -> list[Json]:
    """Return the problems of lines, numbered from 1, each with its path."""
    problems = []
    for each in faults:
        where = ".".join(filter(None, (within, str(each.line - 1), each.column)))
        params = {name: _details(value) for name, value in each.params.items()}
        problems.append(listed(fault(each.code.value, where, records.fault_text(each), params)))
    return problems


def _details(value: Any) -> Any:
    if isinstance(value, Player):
        return {"id": value.public_id, "name": value.name}
    if isinstance(value, tuple | list):
        return [_details(each) for each in value]
    return write_points(value) if isinstance(value, Fraction) else value


def _seated(seats: Sequence[files.Who | None], typed: Sequence[str]) -> list[Json]:
    return [
        {"id": who.public_id, "name": who.name}
        if isinstance(who, Player)
        else {"id": None, "name": who or name}
        for who, name in zip(seats, typed, strict=True)
    ]


FIRST_DAY = date(1900, 1, 1)


class ImportView(ClubMixin, BaseAPIView):
    """The base of imports: all or nothing, or a plan of what would be imported.

    `get_request` returns what is to be imported as the service takes it, `preview` its plan,
    `details` the plan as it is answered, and `store` how many players or games were added.
    """

    serializer_class: Any = serializers.GamesPlanSerializer
    also_success_status = 201
    get_request: Callable[..., Any]
    preview: Callable[..., Any]
    details: Callable[..., Json]
    store: Callable[..., int]

    def post(self, request: Request, slug: str) -> Response:
        data = self.get_validated()
        wanted = self.get_request(data)
        plan = self.preview(wanted)
        details = self.details(plan, data)
        if data["dry_run"]:
            return self.respond({**details, "imported": 0})
        if details["problems"]:
            raise Invalid(faults=[fault(**each) for each in details["problems"]])
        try:
            imported = self.store(wanted, data["seen"] or plan.mark)
        except files.PlanChanged as error:
            # Sent twice, there is nothing left to be imported.
            if not error.plan.is_done:
                raise
            imported = 0
        status = 201 if imported else 200
        return self.respond({**details, "imported": imported}, status=status)


class ImportPlayersView(ImportView):
    """Import players. Players whom the club has already stay as they are."""

    serializer_class = serializers.PlayersPlanSerializer
    request_serializer_class = serializers.ImportPlayersSerializer

    def get_request(self, data: Json) -> names.PlayersRequest:
        return names.PlayersRequest(
            [names.PlayerLine(n, **line) for n, line in enumerate(data["lines"], 1)]
        )

    def preview(self, wanted: names.PlayersRequest) -> Any:
        return names.preview_players(self.club, wanted)

    def details(self, plan: Any, data: Json) -> Json:
        return {"seen": plan.mark, "problems": line_problems(plan.faults), "lines": plan.seen}

    def store(self, wanted: names.PlayersRequest, seen: str) -> int:
        return names.import_players(self.club.pk, wanted, seen, self.actor, at=timezone.now())


class ImportResultsView(ImportView):
    """Import results of past evenings, of which only the totals are known."""

    request_serializer_class = serializers.ImportResultsSerializer

    def get_request(self, data: Json) -> results.ResultsRequest:
        ruleset, options = data["ruleset"], data["options"]
        rules = find_ruleset_of_club(ruleset, self.club)
        if rules is None:
            raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": ruleset})])
        rules.with_options(options)
        lines = [
            results.ResultLine(
                number,
                line["date"],
                line["evening"] or _evening(data),
                line["round"],
                line["table"],
                line["player"],
                line["points"],
            )
            for number, line in enumerate(data["lines"], 1)
        ]
        # Days on which nothing can have been played.
        today = timezone.localdate()
        faults = [
            files.ImportFault(
                files.Wrong.DAY_TO_COME if line.day > today else files.Wrong.NO_DAY,
                line.number,
                "date",
                {"text": str(line.day)},
            )
            for line in lines
            if line.day is not None and not FIRST_DAY <= line.day <= today
        ]
        choices, early = _choices(data), data["early"]
        return results.ResultsRequest(
            lines, rules, options=options, early=early, choices=choices, faults=faults
        )

    def preview(self, wanted: results.ResultsRequest) -> Any:
        return results.preview_results(self.club, wanted)

    def details(self, plan: results.ResultsPlan, data: Json) -> Json:
        named = (line.name for line in plan.order.lines)
        games = [
            {
                "date": game.first.day,
                "evening": game.first.evening,
                "round": game.first.round,
                "table": game.first.table,
                "there": game.there,
                "players": _seated(game.who, [line.name for line in game.lines]),
            }
            for game in plan.games
        ]
        return {
            "seen": plan.mark,
            "problems": line_problems(plan.faults),
            "games": games,
            "new_players": plan.new_names,
            "doubtful": names.name_questions(plan.book, named, _choices(data)),
        }

    def store(self, wanted: results.ResultsRequest, seen: str) -> int:
        return results.import_results(
            self.club.pk, wanted, seen, self.actor, at=timezone.now()
        ).games


class ImportRecordsView(ImportView):
    """Import records of whole games into past evenings."""

    request_serializer_class = serializers.ImportRecordsSerializer

    def get_request(self, data: Json) -> records.RecordsRequest:
        sent = [
            records.RecordFile(f"records.{number}", json.dumps(record))
            for number, record in enumerate(data["records"])
        ]
        return records.RecordsRequest(sent, _evening(data), _choices(data))

    def preview(self, wanted: records.RecordsRequest) -> Any:
        return records.preview_records(self.club, wanted, now=timezone.now())

    def details(self, plan: records.RecordsPlan, data: Json) -> Json:
        problems: list[Json] = []
        for seen in plan.wrong:
            at = f"records.{seen.number - 1}"
            entry = "" if seen.entry is None else f".entries.{seen.entry}"
            problems += map(listed, engine_faults(seen.problems, at + entry))
            problems += line_problems(seen.faults, "records")
        games = [
            {
                "date": seen.day,
                "evening": seen.evening,
                # Of one that is there already nobody asks where.
                "round": seen.round or None,
                "table": seen.table or None,
                "there": seen.there,
                "players": _seated(seen.who, seen.typed),
            }
            for seen in plan.seen
            if seen.fits
        ]
        named = (name for seen in plan.seen for name in seen.typed)
        return {
            "seen": plan.mark,
            "problems": problems,
            "games": games,
            "new_players": plan.new_names,
            "doubtful": names.name_questions(plan.book, named, _choices(data)),
        }

    def store(self, wanted: records.RecordsRequest, seen: str) -> int:
        return records.import_records(
            self.club.pk, wanted, seen, self.actor, at=timezone.now()
        ).games


def _evening(data: Json) -> str:
    return data["evening"] or gettext("Evening")


def _choices(data: Json) -> dict[str, str]:
    return {fold_name(name): chosen for name, chosen in data["meant"].items() if chosen}
