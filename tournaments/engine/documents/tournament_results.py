"""The results and standings of a tournament, computed from its record alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tournaments.engine.documents.tournament_records import TournamentRecord, number_of_entrant
from tournaments.engine.play.games import Game, share_of_unplayed
from tournaments.engine.play.outcomes import award, decide
from tournaments.engine.rules.rulesets import number_of
from tournaments.engine.rules.shapes import write_points, write_value
from tournaments.engine.standings.finals import rank_with_finals
from tournaments.engine.standings.round_results import (
    Competitor,
    RoundResults,
    Ruling,
    TableResult,
)
from tournaments.engine.standings.standings import Standing
from tournaments.engine.work import spend

Json = Mapping[str, Any]


def standings_of(record: TournamentRecord) -> tuple[Standing, ...]:
    """Compute the standings of a tournament from its sheets and rulings alone."""
    return standings_after(record, len(record.document["rounds"]))


def standings_after(
    record: TournamentRecord, number: int, competitors: Sequence[Competitor] | None = None
) -> tuple[Standing, ...]:
    """Compute the standings after round `number`, of all entrants or of some."""
    document = record.document
    spend(1 + len(document["entrants"]) * (8 + number) // 16 + len(document["rulings"]) // 32)
    those = competitors_of(record) if competitors is None else competitors
    rounds, finals = results_until(record, number)
    seed = document["tournament"]["seed"]
    return rank_with_finals(those, rounds, finals, record.settings, seed)


def competitors_of(record: TournamentRecord) -> list[Competitor]:
    """Return the entrants of a record, without those who wait."""
    return [
        Competitor(
            id=each["id"],
            number=number_of_entrant(each["id"]),
            house=each["house"],
            team=each["team"],
            withdrawn=each["withdrawn_at"] is not None,
            section=record.settings.section_of(each.get("section", "")),
        )
        for each in record.document["entrants"]
        if not each.get("waiting")
    ]


def results_until(
    record: TournamentRecord, number: int
) -> tuple[list[RoundResults], list[RoundResults]]:
    """Return the published rounds up to round `number`, and the finals among them."""
    rulings: dict[int, list[Ruling]] = defaultdict(list)
    for each in record.document["rulings"]:
        if each["withdrawn_at"] is None:
            points = number_of(each["points"]) or 0
            rulings[each["round"]].append(Ruling(each["entrant"], each["kind"], points))
    rounds: list[RoundResults] = []
    finals: list[RoundResults] = []
    for round_ in record.document["rounds"][:number]:
        if round_["published_at"] is not None:
            results = _round_results(record, round_, rulings[round_["number"]])
            (finals if round_["stage"] else rounds).append(results)
    return rounds, finals


def _round_results(
    record: TournamentRecord, round_: Json, rulings: Sequence[Ruling]
) -> RoundResults:
    number = round_["number"]
    return RoundResults(
        number,
        tuple(
            _table_result(table["entrants"], record.games[number, table["number"]], record)
            for table in round_["tables"]
        ),
        tuple(round_["byes"]),
        tuple(rulings),
    )


def _table_result(entrants: Sequence[str], game: Game, record: TournamentRecord) -> TableResult:
    # By identity, for games compare all their entries; each is kept, so that its id stays its own.
    if id(game) not in record.results:
        record.results[id(game)] = game, _count_game(tuple(entrants), game)
    return record.results[id(game)][1]


def _count_game(names: tuple[str, ...], game: Game) -> TableResult:
    if not game.finished:
        nothing = (0,) * len(names)
        return TableResult(names, nothing, nothing, finished=False)
    outcome = decide(game)
    return TableResult(
        *(names, game.totals, outcome.ranks, outcome.out, _kings_of(game)),
        unplayed=share_of_unplayed(game),
    )


def _kings_of(game: Game) -> tuple[int, ...]:
    return tuple(sorted(badge.seat for badge in award(game) if badge.badge == "king"))


# As documents have them.

RESULT = ("totals", "ranks", "out", "sunk", "kings")
"""The values of a finished table that a document has, in the form of a game's stored result."""


def write_table_result(game: Game) -> dict[str, Any] | None:
    """Return the result of a table; None while it is played."""
    if not game.finished:
        return None
    outcome = decide(game)
    values = (game.totals, outcome.ranks, outcome.out, outcome.sunk, _kings_of(game))
    return dict(zip(RESULT, map(write_value, values), strict=True))


def write_ranking(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """Return standings as rows; `round` is what the last round counts, null without a result."""
    return [
        {
            "entrant": row.entrant,
            "section": row.section,
            "place": row.place,
            "shared": row.shared,
            "points": write_points(row.points),
            "penalties": write_points(row.penalties),
            "round": write_value(row.by_round[-1]) if row.by_round else None,
            "tie_breaks": write_value(row.tie_breaks),
        }
        for row in standings
    ]


def kept_standings(standings: Sequence[Standing]) -> dict[str, list[Any]]:
    """Return place and points by entrant, as they are kept when a round is closed."""
    return {each.entrant: [each.place, write_points(each.points)] for each in standings}
