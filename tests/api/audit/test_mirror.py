from dataclasses import replace

import pytest

from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import lay
from tests.factories import EVENING, ContextFactory, record
from tests.services.imports.result_files import asked, take_over
from tests.services.imports.result_files import table as past_table
from tests.tournament_builders import (
    NINE,
    change,
    plan,
    play,
    published,
    register,
    running,
    seated_at,
    stand_in,
)
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Event, Game, Player, Round, Table
from tournaments.services.audit import NOBODY
from tournaments.services.events.events import create_event
from tournaments.services.games.playing import correct_entry
from tournaments.services.games.tables import remove_table
from tournaments.services.people.changes import remove_player, rename_player, set_initials
from tournaments.services.people.merging import merge_players, undo_merge
from tournaments.services.rounds import running as rounds_running
from tournaments.services.rounds import seating

pytestmark = pytest.mark.django_db


class Mirror:
    """Keeps the games it is told of, and knows nothing else."""

    def __init__(self, program):
        self.program, self.after, self.games = program, 0, {}

    def follow(self):
        more = True
        while more:
            feed = self.program.get(f"changes/?after={self.after}&limit=20").json()
            for told in feed["results"]:
                for address in told["resources"]:
                    if address.startswith("/api/v1/games/?"):
                        self._read_list(address)
                    elif address.startswith("/api/v1/games/"):
                        self._read(address)
            self.after, more = feed["last"], feed["more"]

    def _read_list(self, address):
        while address:
            page = self.program.get(address.removeprefix("http://testserver")).json()
            for game in page["results"]:
                self._read(f"/api/v1/games/{game['id']}/")
            address = page["next"]

    def _read(self, address):
        answer = self.program.get(address)
        if answer.status_code == 404:
            self.games.pop(address, None)
        else:
            assert answer.status_code == 200
            self.games[address] = answer.json()


def evening(club):
    event = create_event(club, replace(plan().event, published=True), NOBODY, at=EVENING)
    return Round.objects.get(event=event)


def player(name):
    return Player.objects.called(name).get().pk


def steps(row):
    """An evening of everything that games can be changed by; one step after the other."""
    club = row.event.club
    yield register(row, "Geç", "Kalan", "Üç", "Dört")
    round_ = published(row)
    yield round_
    yield seating.take_back_round(round_.pk, NOBODY, at=EVENING)
    yield seating.publish_round(round_.pk, NOBODY, at=EVENING, all_the_same=True)
    yield stand_in(seated_at(round_, 1), "Yedek")
    yield change(round_, leaving=[seated_at(round_, 2)])
    yield rounds_running.open_round(round_.pk, NOBODY, at=EVENING)
    yield play(round_)
    game = Game.objects.filter(table__round=round_).first()
    corrected = {**WHOLE_GAME[0], "counts": {"heart_king": [1, 0, 0, 0]}}
    yield correct_entry(
        game.pk, 0, parse_entry(corrected), "", ContextFactory(revision=game.revision)
    )
    yield rounds_running.close_round(round_.pk, NOBODY, at=EVENING)
    table = lay(evening(club))
    yield record(table.games.get(), WHOLE_GAME[0])
    yield lay(table.round, who=("Can", "Ece", "Efe", "Su"))
    yield rename_player(player("Can"), "Canan", NOBODY, at=EVENING)
    yield set_initials(player("Ece"), True, NOBODY, at=EVENING)
    merge = merge_players(player(NAMES[0]), player("Su"), NOBODY, at=EVENING)
    yield merge
    yield undo_merge(merge.pk, NOBODY, at=EVENING)
    yield remove_player(player("Efe"), NOBODY, at=EVENING)
    yield take_over(club, asked(past_table()))
    yield take_over(club, asked(past_table(place=2, number=2)))
    yield remove_table(Table.objects.get(pk=table.pk).pk, NOBODY, at=EVENING)


@pytest.mark.parametrize(
    ("role", "every_step"), [("director", False), ("member", True), ("stranger", True)]
)
def test_mirror_has_the_games_the_server_has(program, role, every_step):
    row = running(*NINE[:8])
    Event.objects.filter(pk=row.event.pk).update(published=True)
    own = role != "stranger"
    mirror = Mirror(program.role(role, row.event.club, "read") if own else program)

    for _step in steps(row):
        if every_step:
            mirror.follow()
    mirror.follow()

    names = Game.objects.values_list("public_id", flat=True)
    answers = [mirror.program.get(f"/api/v1/games/{name}/") for name in names]
    served = {each.request["PATH_INFO"]: each.json() for each in answers if each.status_code == 200}
    # The games that were taken over are of evenings that are not published.
    assert len(served) == (5 if own else 3)
    assert mirror.games == served
