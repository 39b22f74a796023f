"""An evening by the wheel of `make clients`, through a proxy that loses requests and answers.

Started with the address of the proxy, a token of an owner, and the slug of the club.
"""

import sys

from kingscore_client.api.games import (
    games_add,
    games_entries_add,
    games_entries_replace,
    games_read,
)
from kingscore_client.api.people import clubs_players_list
from kingscore_client.connection import Changed, Invalid, NoAccess, connect
from kingscore_client.models import (
    CorrectionRequest,
    DealEntry,
    NewEntryRequest,
    NewGameRequest,
    UnitCounts,
)

server, token, club = sys.argv[1:]


def hearts(*counts: int) -> DealEntry:
    counted = UnitCounts(hearts=[*counts])
    return DealEntry(type_="deal", contract="no-hearts", counts=counted)


owner = connect(server, token)
game = games_add.sync(
    client=owner,
    body=NewGameRequest(ruleset="turkish-king", players=["Ayşe", "Burak", "Cem", "Deniz"]),
)
phone = connect(server, game.keys.write)
for _ in range(2):
    body = NewEntryRequest(entry=hearts(4, 3, 3, 3))
    games_entries_add.sync(game.id, client=phone, body=body)
refusals = []
for client, entry, revision in (
    (phone, hearts(14, 0, 0, 0), 2),
    (phone, hearts(3, 4, 3, 3), 1),
    (connect(server, "nobody"), hearts(3, 4, 3, 3), 2),
):
    try:
        games_entries_replace.sync(
            game.id,
            0,
            client=client,
            body=CorrectionRequest(entry=entry),
            if_match=f'"{revision}"',
        )
    except (Changed, Invalid, NoAccess) as refusal:
        assert refusal.request_id
        refusals.append(f"{type(refusal).__name__} {refusal.code}")
read = [games_read.sync(game.id, client=phone) for _ in range(2)]
assert read[0] == read[1]
players = clubs_players_list.sync(club, client=owner)
print(len(read[0].entries), len(players.results), *refusals, sep="\n")
