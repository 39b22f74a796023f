"""An evening by the Python client that openapi-python-client makes of the description.

Started with the address of a server, a token of an owner, and the slug of the club.
"""

import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any, TypeVar

from httpx import URL
from kingscore_client import AuthenticatedClient
from kingscore_client.api.changes import changes_read
from kingscore_client.api.clubs import (
    clubs_audit_list,
    clubs_invitations_list,
    clubs_list,
    clubs_members_list,
    clubs_seasons_list,
)
from kingscore_client.api.entrants import (
    clubs_tournaments_entrants_list,
    tournaments_registrations_add,
)
from kingscore_client.api.events import (
    clubs_events_list,
    clubs_events_rounds_list,
    clubs_events_rounds_tables_list,
)
from kingscore_client.api.games import (
    games_add,
    games_entries_add,
    games_entries_replace,
    games_list,
    games_log_list,
    games_read,
)
from kingscore_client.api.people import clubs_players_games_list, clubs_players_list
from kingscore_client.api.rounds import clubs_tournaments_rulings_list
from kingscore_client.api.rules import clubs_house_rules_list
from kingscore_client.api.standings import clubs_tournaments_standings_read
from kingscore_client.api.tournaments import (
    clubs_tournaments_add,
    clubs_tournaments_links_read,
    clubs_tournaments_list,
    clubs_tournaments_move,
)
from kingscore_client.api.webhooks import clubs_webhooks_deliveries_list, clubs_webhooks_list
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
    for name, number in read_lists(client, club, tournament, game.id).items():
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


def read_lists(
    client: AuthenticatedClient, club: str, tournament: str, game: str
) -> dict[str, int]:
    """Page through all lists; return how many rows each has."""

    def rows(page: Callable[..., Response[Any]], *place: Any) -> list[Any]:
        return walk(partial(page, *place, client=client))

    events = rows(clubs_events_list.sync_detailed, club)
    players = rows(clubs_players_list.sync_detailed, club)
    hooks = rows(clubs_webhooks_list.sync_detailed, club)
    evenings = [event for event in events if event.tournament is None]
    found = {
        "clubs": rows(clubs_list.sync_detailed),
        "games": rows(games_list.sync_detailed),
        "events": events,
        "players": players,
        "webhooks": hooks,
        "members": rows(clubs_members_list.sync_detailed, club),
        "seasons": rows(clubs_seasons_list.sync_detailed, club),
        "invitations": rows(clubs_invitations_list.sync_detailed, club),
        "house rules": rows(clubs_house_rules_list.sync_detailed, club),
        "audit entries": rows(clubs_audit_list.sync_detailed, club),
        "tournaments": rows(clubs_tournaments_list.sync_detailed, club),
        "entrants": rows(clubs_tournaments_entrants_list.sync_detailed, club, tournament),
        "rulings": rows(clubs_tournaments_rulings_list.sync_detailed, club, tournament),
        "games of a player": rows(clubs_players_games_list.sync_detailed, club, players[0].id),
        "rounds": rows(clubs_events_rounds_list.sync_detailed, club, evenings[0].id),
        "tables": rows(clubs_events_rounds_tables_list.sync_detailed, club, evenings[0].id, 1),
        "deliveries": rows(clubs_webhooks_deliveries_list.sync_detailed, club, hooks[0].id),
    }
    return {name: len(each) for name, each in found.items()}


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
