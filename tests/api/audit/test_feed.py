import pytest

from tests.club_factories import AuditEntryFactory, ClubFactory, EventFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record
from tournaments.models import AuditEntry, ChangeFeed, Seat
from tournaments.services.audit import NOBODY
from tournaments.services.events.events import close_round
from tournaments.services.people.changes import rename_player

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
    assert answer == {
        "results": [
            {
                "number": 1,
                "at": answer["results"][0]["at"],
                "club": "moda",
                "event": event.public_id,
                "kind": "result",
                "action": "entry",
                "subject": f"game:{game.public_id}",
                "resources": [f"/api/v1/games/{game.public_id}/", place],
            },
            {
                "number": 2,
                "at": "2026-11-20T19:30:00Z",
                "club": "moda",
                "event": event.public_id,
                "kind": "event",
                "action": "close-round",
                "subject": f"event:{event.public_id}",
                "resources": [place],
            },
        ],
        "last": 2,
        "more": False,
        "next": None,
        "previous": None,
    }
    nothing = {"results": [], "last": 2, "more": False, "next": None, "previous": None}
    assert director.get("changes/?after=2").json() == nothing


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


def test_reader_who_has_seen_it_all_is_answered_304(program, club):
    director = program.role("director", club)
    AuditEntryFactory(club=club)
    seen = director.get("changes/?after=1")

    assert director.get("changes/?after=1", If_None_Match=seen["ETag"]).status_code == 304
    AuditEntryFactory(club=club)
    assert director.get("changes/?after=1", If_None_Match=seen["ETag"]).status_code == 200


def test_number_that_was_never_given_says_that_the_feed_begins_again(program):
    answer = program.get("changes/?after=1")

    assert (answer.status_code, answer.json()["code"]) == (410, "feed-begins-again")
    assert answer.json()["last"] == 0


@pytest.mark.parametrize("wrong", ["after=-1", "after=x", "limit=0", "since=3"])
def test_question_that_cannot_be_is_refused(program, wrong):
    assert program.get(f"changes/?{wrong}").status_code == 422


def test_asking_takes_as_few_queries_for_many_lines(program, club, django_assert_num_queries):
    director = program.role("director", club)
    tables = TableFactory.create_batch(3, round__event__club=club)
    for table in tables:
        record(table.games.get(), WHOLE_GAME[0])
        rename_player(table.games.get().seats.first().player_id, f"N{table.pk}", NOBODY, at=EVENING)
    director.get("changes/")
    # Token and account, new lines, last number, spans, lines, own clubs, players, their games,
    # rounds.
    for after in (4, 0):
        with django_assert_num_queries(10):
            assert director.get(f"changes/?after={after}").json()["results"]
    with django_assert_num_queries(4):
        director.get("changes/?after=6")


def test_games_that_are_not_to_be_seen_are_not_named(program, club):
    open_event, hidden = (EventFactory(club=club, published=flag) for flag in (True, False))
    games = [TableFactory(round__event=each).games.get() for each in (open_event, hidden)]
    player = games[0].seats.first().player
    Seat.objects.filter(game=games[1], number=0).update(player=player)
    rename_player(player.pk, "Anew", NOBODY, at=EVENING)

    member = program.role("member", club)
    line = member.get("changes/").json()["results"][-1]
    named = [each for each in line["resources"] if "/games/" in each]
    assert named == [f"/api/v1/games/{game.public_id}/" for game in games]


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


def test_backlog_is_numbered_in_parts_without_gaps(program, club, monkeypatch):
    monkeypatch.setattr("tournaments.models.feed.MOST_NUMBERED_AT_ONCE", 3)
    AuditEntryFactory.create_batch(7, club=club)
    director = program.role("director", club)

    after, numbers, more = 0, [], True
    while more:
        feed = director.get(f"changes/?after={after}").json()
        numbers += [change["number"] for change in feed["results"]]
        after, more = feed["last"], feed["more"]

    assert numbers == [1, 2, 3, 4, 5, 6, 7]
    assert ChangeFeed.last_number() == 7
    in_order = AuditEntry.objects.order_by("pk").values_list("number", flat=True)
    assert list(in_order) == numbers
