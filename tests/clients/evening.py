"""An evening by the Python client that openapi-python-client makes of the description.

Started with the address of a server, a token of an owner, and the slug of the club.
"""

import inspect
import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from httpx import URL
from kingscore_client import AuthenticatedClient, api
from kingscore_client.api.changes import changes_read
from kingscore_client.api.entrants import tournaments_registrations_add
from kingscore_client.api.games import (
    games_add,
    games_entries_add,
    games_entries_replace,
    games_log_list,
    games_read,
)
from kingscore_client.api.standings import clubs_tournaments_standings_read
from kingscore_client.api.tournaments import (
    clubs_tournaments_add,
    clubs_tournaments_links_read,
    clubs_tournaments_move,
)
from kingscore_client.models import (
    ChangeFeed,
    CorrectionRequest,
    DealEntry,
    DealEntryTrump,
    Game,
    LinkedEntrant,
    Links,
    MovedRequest,
    MovedRequestState,
    NewEntryRequest,
    NewGameRequest,
    NewTournamentRequest,
    NewTournamentRequestPreset,
    OwnEntryRequest,
    Problem,
    Standings,
    StartedGame,
    Tournament,
    UnitCounts,
)
from kingscore_client.types import UNSET, Response

Kind = TypeVar("Kind")

PENALTIES = {
    "no-tricks": UnitCounts(tricks=[4, 3, 3, 3]),
    "no-hearts": UnitCounts(hearts=[4, 3, 3, 3]),
    "no-men": UnitCounts(men=[2, 2, 2, 2]),
    "no-queens": UnitCounts(queens=[2, 1, 1, 0]),
    "heart-king": UnitCounts(heart_king=[0, 0, 1, 0]),
    "last-two": UnitCounts(last_two=[1, 0, 1, 0]),
}


def main(server: str, token: str, club: str) -> None:
    client = AuthenticatedClient(server, token)
    begin = follow(client, 0)
    game = play(client, server)
    print(f"{len(game.entries)} deals, finished: {game.result.finished}")
    tournament = register(client, club)
    for name, number in read_lists(client, club, tournament).items():
        print(f"{number} {name}")
    print(f"{follow(client, begin) - begin} changes")


def expect(kind: type[Kind], answer: Response[Any]) -> Kind:
    assert isinstance(answer.parsed, kind), (answer.status_code, answer.content)
    return answer.parsed


def deals() -> list[DealEntry]:
    """Twenty deals of Turkish King: twelve with penalties, eight with trumps."""
    penalties = [
        DealEntry(type_="deal", contract=name, counts=counts)
        for name, counts in [*PENALTIES.items()] * 2
    ]
    suits = [suit for suit in DealEntryTrump if suit != DealEntryTrump.NONE]
    tricks = UnitCounts(tricks=[4, 3, 3, 3])
    trumps = [
        DealEntry(type_="deal", contract="trump", trump=suit, counts=tricks) for suit in suits * 2
    ]
    return penalties + trumps


def play(client: AuthenticatedClient, server: str) -> Game:
    """Start a game at an open table, write 20 deals, and be refused twice."""
    body = NewGameRequest(ruleset="turkish-king", players=["Ayşe", "Burak", "Cem", "Deniz"])
    game = expect(StartedGame, games_add.sync_detailed(client=client, body=body))
    client = AuthenticatedClient(server, game.keys.write)
    for number, deal in enumerate(deals()):
        entry = NewEntryRequest(entry=deal, author="Ayşe")
        key = f"{game.id}-{number}"
        answer = games_entries_add.sync_detailed(
            game.id, client=client, body=entry, idempotency_key=key
        )
        assert expect(Game, answer).revision == number + 1
    be_refused(client, game.id)
    log = walk(partial(games_log_list.sync_detailed, game.id, client=client))
    assert [line.revision for line in log] == list(range(1, 21)), log
    return expect(Game, games_read.sync_detailed(game.id, client=client))


def be_refused(client: AuthenticatedClient, game: str) -> None:
    """Correct a deal wrongly, then from an old revision."""
    wrong = DealEntry(type_="deal", contract="no-tricks", counts=UnitCounts(tricks=[14, 0, 0, 0]))
    correct = partial(games_entries_replace.sync_detailed, game, 0, client=client)
    problem = expect(Problem, correct(body=CorrectionRequest(entry=wrong), if_match='"20"'))
    assert problem.status == 422, problem
    assert problem.problems[0].where.startswith("entry"), problem
    late = CorrectionRequest(entry=deals()[0])
    problem = expect(Problem, correct(body=late, if_match='"3"'))
    assert problem.code.value == "changed-meanwhile", problem
    assert problem.revision == 20, problem


def register(client: AuthenticatedClient, club: str) -> str:
    """Make a tournament, register a player by its link, and read the standings."""
    plan = NewTournamentRequest(
        name="By a client",
        held_on=date(2026, 12, 5),
        ruleset="turkish-king",
        preset=NewTournamentRequestPreset.SWISS_DAY,
    )
    made = clubs_tournaments_add.sync_detailed(club, client=client, body=plan)
    tournament = expect(Tournament, made)
    registration = MovedRequest(state=MovedRequestState.REGISTRATION)
    moved = clubs_tournaments_move.sync_detailed(
        club, tournament.slug, client=client, body=registration
    )
    assert expect(Tournament, moved).state.value == "registration"
    links = clubs_tournaments_links_read.sync_detailed(club, tournament.slug, client=client)
    link = AuthenticatedClient(str(client._base_url), expect(Links, links).register.key)
    for name in ("Ayşe", "Burak", "Cem"):
        entered = tournaments_registrations_add.sync_detailed(
            tournament.id, client=link, body=OwnEntryRequest(name=name)
        )
        assert expect(LinkedEntrant, entered).name == name
    read = clubs_tournaments_standings_read.sync_detailed(club, tournament.slug, client=client)
    assert len(expect(Standings, read).results) == 3, read
    return tournament.slug


def read_lists(client: AuthenticatedClient, club: str, tournament: str) -> dict[str, int]:
    """Page through all lists of clubs and of a tournament; return how many rows each has."""
    places, found = {"club": club, "tournament": tournament}, {}
    for topic in iter_modules(api.__path__):
        within = import_module(f"{api.__name__}.{topic.name}")
        for made in iter_modules(within.__path__):
            if not made.name.startswith("clubs_") or not made.name.endswith("_list"):
                continue
            read = import_module(f"{within.__name__}.{made.name}").sync_detailed
            wanted = inspect.signature(read).parameters.values()
            place = [each.name for each in wanted if each.kind is each.POSITIONAL_OR_KEYWORD]
            if places.keys() >= {*place}:
                rows = walk(partial(read, *map(places.__getitem__, place), client=client))
                found[made.name] = len(rows)
    return found


def walk(page: Callable[..., Response[Any]]) -> list[Any]:
    """Return the rows of all pages of a list, two by two."""
    rows: list[Any] = []
    cursor: Any = UNSET
    while True:
        answer = page(page_size=2, cursor=cursor)
        found: Any = answer.parsed
        assert answer.status_code == 200, found
        rows += found.results
        if found.next_ is None:
            return rows
        cursor = URL(found.next_).params["cursor"]


def follow(client: AuthenticatedClient, after: int) -> int:
    """Read the feed of changes to its end; return its last number."""
    while True:
        feed = expect(ChangeFeed, changes_read.sync_detailed(client=client, after=after, limit=5))
        after = feed.last
        if not feed.more:
            return after


if __name__ == "__main__":
    main(*sys.argv[1:])
