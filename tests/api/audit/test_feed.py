from dataclasses import replace

import pytest

from tests.api.conftest import refused
from tests.club_factories import AuditEntryFactory, ClubFactory, EventFactory, TableFactory
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
from tournaments.services.events.events import close_round, create_event
from tournaments.services.games.playing import correct_entry
from tournaments.services.games.tables import remove_table
from tournaments.services.people.changes import remove_player, rename_player, set_initials
from tournaments.services.people.merging import merge_players, undo_merge
from tournaments.services.rounds import running as rounds_running
from tournaments.services.rounds import seating

pytestmark = pytest.mark.django_db


def actions(answer):
    return [change["action"] for change in answer.json()["results"]]


def test_director_is_shown_everything_in_order_with_what_to_read_again(program, club):
    director = program.role("director", club, "read")
    table = TableFactory(round__event__club=club, round__number=2)
    event, game = table.round.event, table.games.get()
    record(game, WHOLE_GAME[0])
    close_round(table.round.pk, NOBODY, at=EVENING)

    answer = director.get("changes/").json()

    place = f"/api/v1/clubs/moda/events/{event.public_id}/rounds/2/"
    results, end = answer["results"], {"last": 2, "more": False, "next": None, "previous": None}
    common = {"club": "moda", "event": event.public_id}
    assert answer == {"results": results, **end}
    assert results[0] == common | {
        "number": 1,
        "at": results[0]["at"],
        "kind": "result",
        "action": "entry",
        "subject": f"game:{game.public_id}",
        "resources": [f"/api/v1/games/{game.public_id}/", place],
    }
    assert results[1] == common | {
        "number": 2,
        "at": "2026-11-20T19:30:00Z",
        "kind": "event",
        "action": "close-round",
        "subject": f"event:{event.public_id}",
        "resources": [place],
    }
    assert director.get("changes/?after=2").json() == {"results": [], **end}


def test_others_are_shown_what_is_public_where_they_may_see_it(program, club):
    open_event = EventFactory(club=club, published=True)
    secret_event = EventFactory(club=club)
    for event in (open_event, secret_event, None):
        for action in ("close-round", "call-director"):
            AuditEntryFactory(club=club, event=event, kind="event", action=action)
    AuditEntryFactory(club=club, kind="player", action="rename")
    AuditEntryFactory(club=club, kind="player", action="claim")
    AuditEntryFactory(club=EventFactory().club, kind="player", action="rename")

    for whom, seen in (
        (program, [1, 7]),
        (program.role("member", club), [1, 3, 7]),
        (program.role("director", club), [1, 2, 3, 4, 5, 6, 7, 8]),
        (program.role("owner", ClubFactory()), [1, 7]),
    ):
        answer = whom.get("changes/").json()
        assert [change["number"] for change in answer["results"]] == seen
        # Whoever sees nothing more goes on behind what there was.
        assert (answer["last"], answer["more"]) == (9, False)


def test_club_or_event_alone_can_be_followed_by_who_may_see_it(program, club):
    event = EventFactory(club=club)
    member = program.role("member", club)
    for place in (event, EventFactory(club=club), EventFactory(published=True)):
        AuditEntryFactory(club=place.club, event=place, kind="event", action="open-round")

    assert len(actions(member.get("changes/"))) == 3
    assert len(actions(member.get("changes/?club=moda"))) == 2
    assert len(actions(member.get(f"changes/?event={event.public_id}"))) == 1
    for unseen in ("club=moda", f"event={event.public_id}", "club=none", "event=none"):
        assert program.get(f"changes/?{unseen}").status_code == 404


def test_number_that_was_never_given_says_that_the_feed_begins_again(program):
    answer = program.get("changes/?after=1")

    assert refused(answer) == (410, "feed-begins-again")
    assert answer.json()["last"] == 0


@pytest.mark.parametrize("action", ["rename", "initials", "remove", "merge", "part"])
def test_strangers_are_not_shown_whose_name_was_changed_nor_where(program, club, action):
    open_event = EventFactory(club=club, published=True)
    game = TableFactory(round__event=open_event).games.get()
    player = game.seats.first().player
    told = {"subject": f"player:{player.pk}", "after": {"other": f"player:{player.pk}"}}
    AuditEntryFactory(club=club, kind="player", action=action, **told)

    for stranger in (program, program.role("owner", ClubFactory())):
        (line,) = stranger.get("changes/").json()["results"]
        assert (line["action"], line["subject"]) == ("names-changed", "")
        assert line["resources"] == ["/api/v1/games/?club=moda"]
        (listed,) = stranger.get(line["resources"][0]).json()["results"]
        assert listed["id"] == game.public_id
    (line,) = program.role("member", club).get("changes/").json()["results"]
    assert (line["action"], line["subject"]) == (action, f"player:{player.public_id}")
    assert f"/api/v1/clubs/moda/players/{player.public_id}/" in line["resources"]


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


def test_mirrors_have_the_games_the_server_has(program):
    row = running(*NINE[:8])
    Event.objects.filter(pk=row.event.pk).update(published=True)
    director, member = (program.role(r, row.event.club, "read") for r in ("director", "member"))
    late, member, stranger = map(Mirror, (director, member, program))

    for _step in steps(row):
        member.follow()
        stranger.follow()
    late.follow()

    names = Game.objects.values_list("public_id", flat=True)
    # The games that were taken over are of evenings that are not published.
    for mirror, number in ((late, 5), (member, 5), (stranger, 3)):
        answers = [mirror.program.get(f"/api/v1/games/{name}/") for name in names]
        served = {a.request["PATH_INFO"]: a.json() for a in answers if a.status_code == 200}
        assert len(served) == number
        assert mirror.games == served
