import ast
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path

import pytest

import tournaments
from tests.club_factories import (
    AccountFactory,
    AuditEntryFactory,
    EntrantFactory,
    MemberFactory,
    PlayerFactory,
    SeasonFactory,
    TableFactory,
    TournamentFactory,
)
from tests.deals import WHOLE_GAME, deal
from tests.factories import EVENING, ContextFactory, SetupFactory, reload
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Revision
from tournaments.models.clubs import Role
from tournaments.queries.state import settings_of
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.clubs import membership
from tournaments.services.entrants.registration import change_entrant, mark_house
from tournaments.services.events.events import plan_of
from tournaments.services.games import playing
from tournaments.services.people.changes import rename_player, set_initials
from tournaments.services.rounds.running import value_missed_rounds
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    change_tournament,
    move_tournament,
    put_in_season,
)
from tournaments.web.audit.texts import ACTIONS

CHANGES = "/clubs/moda/changes/"
RIFKI = "Rıfkı (king of hearts)"


@pytest.fixture
def owner(club):
    user = MemberFactory(club=club, role="owner", user__first_name="Ada").user
    return Actor(user, address="192.0.2.7")


def shown(page):
    return [
        (line["what"], line["subject"], line["who"], tuple(line["changes"]))
        for line in page.context["lines"]
    ]


def lines(client, query=""):
    return [line["row"].pk for line in client.get(CHANGES + query).context["lines"]]


def test_settings_are_shown_by_their_labels(director, club, owner):
    chosen = membership.ClubSettings("Moda", published=True, confirmations="two")
    membership.change_settings(club.pk, chosen, owner, at=EVENING)

    page = director.get(CHANGES)

    changes = (
        "Name: Moda King → Moda",
        "Published: no → yes",
        "Who confirms the result: nobody → any two players of the table",
    )
    assert shown(page) == [("Settings changed", "", "Ada", changes)]
    assert "192.0.2.7" in page.text
    assert "20 November 2026" in page.text or "20 Nov 2026" in page.text


@pytest.fixture
def entrant(club):
    season = SeasonFactory(club=club, name="Kış")
    of_event = {"event__season": season, "event__venue": "Kulüp"}
    row = TournamentFactory(event__club=club, state="running", **of_event)
    of_entrant = {"team": "Moda", "preferred_table": 2, "missed": "half"}
    return EntrantFactory(tournament=row, player__name="Ece", **of_entrant)


def plan(on):
    event = replace(plan_of(on.tournament.event), venue="Lokal")
    return TournamentPlan(event, settings_of(on.tournament))


ACTS = {
    "Team: Moda → Kadıköy": lambda on: partial(
        change_entrant, on.pk, "Kadıköy", "Moda", preferred_table=3
    ),
    "Always at table: 2 → –": lambda on: partial(
        change_entrant, on.pk, "Moda", "Moda", preferred_table=None
    ),
    "House player: no → yes": lambda on: partial(mark_house, on.pk, house=True),
    "Missed rounds are worth: half of a bye → a bye": lambda on: partial(
        value_missed_rounds, on.pk, "average"
    ),
    "State: running → finished": lambda on: partial(move_tournament, on.tournament_id, "finished"),
    "Season: Kış → –": lambda on: partial(put_in_season, on.tournament.event_id, None),
    "Venue: Kulüp → Lokal": lambda on: partial(change_tournament, on.tournament_id, plan(on)),
    "Name: Ece → Ece Kaya": lambda on: partial(rename_player, on.player_id, "Ece Kaya"),
    "Initials: no → yes": lambda on: partial(set_initials, on.player_id, initials=True),
}


@pytest.mark.parametrize("change", ACTS)
def test_change_is_shown_with_what_stood_before(director, club, entrant, change):
    ACTS[change](entrant)(by=NOBODY, at=EVENING)
    assert change in chain(*(line["changes"] for line in director.get(CHANGES).context["lines"]))


@pytest.fixture
def table(club):
    return TableFactory(round__event__club=club, round__event__name="Friday", round__number=2)


def context(game, by):
    return ContextFactory(revision=reload(game).row.revision, by=by)


def test_results_are_shown_in_the_words_of_the_history(director, club, owner, table):
    game, phone = table.games.get(), Actor(table=table.public_id, address="192.0.2.9")
    playing.record_entry(game.pk, parse_entry(WHOLE_GAME[0]), context(game, phone))
    right = deal("heart-king", 0, 1, 0, 0)
    playing.correct_entry(game.pk, 0, parse_entry(right), "misheard", context(game, owner))
    playing.withdraw_entry(game.pk, 0, "", context(game, owner))
    PlayerFactory(club=club, name="Ece")
    head = SetupFactory(players=("Ayşe", "Burak", "Cem", "Ece"))
    playing.change_head(game.pk, head, context(game, owner))

    page = director.get(CHANGES)

    place = f"Table {table.number} · Round 2 · Friday"
    names = f"Ayşe · Burak · Cem · Ece ({place})"
    line = f"Line 1 of the sheet: {RIFKI}"
    of_cem, of_burak = ("Ayşe 0, Burak 0, Cem 1, Ece 0", "Ayşe 0, Burak 1, Cem 0, Ece 0")
    assert shown(page) == [
        ("names, seats or rules changed", names, "Ada", ("Seat 4: Deniz → Ece",)),
        ("taken off", names, "Ada", (f"{line} · {of_burak} → –",)),
        ("corrected", names, "Ada", (f"{line} · {of_cem} → {RIFKI} · {of_burak}",)),
        ("written", names, f"Phone at Table {table.number}", (f"{line} · {of_cem}",)),
    ]
    assert "Reason: misheard" in page.text


def test_what_one_does_again_is_one_act_of_its_day_under_the_name_in_the_club(director, club):
    ece = AccountFactory(email="ece@example.org")
    PlayerFactory(club=club, name="Ece", account=ece)
    AuditEntryFactory(club=club, user=ece, after={"venue": "", "starts_at": "19:00"})
    AuditEntryFactory(club=club, user=ece, before={"venue": ""}, after={"venue": "A"})
    AuditEntryFactory(club=club, user=ece, at=EVENING + timedelta(days=1))

    page = director.get(CHANGES)

    changes = [line["changes"] for line in page.context["lines"]]
    assert changes == [[], ["Venue: A"], ["Starts at: 19:00"]]
    days = page.text.split("<h2>")[1:]
    assert [(day.count("2×"), day.count("· Ece")) for day in days] == [(0, 1), (1, 1)]
    assert "ece@" not in page.text


def test_lines_are_read_part_by_part_and_none_twice(director, club):
    made = [AuditEntryFactory(club=club).pk for _ in range(65)][::-1]

    first = director.get(CHANGES).context["part"]
    assert first["newer"] is None
    second = director.get(f"{CHANGES}?before={first['older']}").context["part"]
    third = director.get(f"{CHANGES}?before={second['older']}").context["part"]
    assert third["older"] is None

    parts = [[row.pk for row in part["rows"]] for part in (first, second, third)]
    assert [*parts[0], *parts[1], *parts[2]] == made
    assert lines(director, f"?after={third['newer']}") == parts[1]
    assert lines(director, f"?after={second['newer']}") == parts[0]
    assert director.get(f"{CHANGES}?after={second['newer']}").context["part"]["newer"] is None


def test_filters_leave_what_was_asked_for(director, club, owner):
    player = PlayerFactory(club=club, name="Ece")
    early = AuditEntryFactory(club=club, kind="event", at=EVENING - timedelta(days=1))
    named = AuditEntryFactory(club=club, kind="player", subject=f"player:{player.pk}")
    by_ada = AuditEntryFactory(club=club, user=owner.user)
    # Half past midnight of the 21st in Istanbul.
    late = AuditEntryFactory(club=club, at=datetime(2026, 11, 20, 21, 30, tzinfo=UTC))

    assert lines(director, "?kind=player") == [named.pk]
    assert lines(director, f"?who={owner.user.pk}") == [by_ada.pk]
    assert lines(director, f"?about=player:{player.pk}") == [named.pk]
    assert lines(director, "?since=2026-11-20") == [late.pk, by_ada.pk, named.pk]
    assert lines(director, "?until=2026-11-19") == [early.pk]
    assert lines(director, "?since=2026-11-20&until=2026-11-20") == [by_ada.pk, named.pk]
    assert lines(director, f"?since=2026-11-20&kind=settings&who={owner.user.pk}") == [by_ada.pk]
    page = director.get(f"{CHANGES}?about=player:{player.pk}")
    assert page.context["about"] == "Ece"
    assert "Nothing that fits." in director.get(f"{CHANGES}?kind=result").text


@pytest.mark.parametrize(
    "query", ["?kind=x", "?since=0001-01-01", "?until=9999-12-31", "?who=x", "?about=%00"]
)
def test_filter_that_cannot_be_leaves_nothing_out(director, club, query):
    made = AuditEntryFactory(club=club)
    assert lines(director, query) == [made.pk]


def test_filter_names_nobody_of_another_club(director, club):
    stranger = MemberFactory(user__first_name="Stranger").user
    player = PlayerFactory(name="Stranger")
    for end in (f"who={stranger.pk}", f"about=player:{player.pk}", f"about=account:{stranger.pk}"):
        assert "Stranger" not in director.get(f"{CHANGES}?{end}").text

    gone = AccountFactory(first_name="Gone")
    AuditEntryFactory(club=club, user=gone)
    assert "Gone" in director.get(f"{CHANGES}?who={gone.pk}").text


@pytest.mark.parametrize("number", [1, 3])
def test_lines_of_every_kind_are_asked_for_at_once(
    director, club, owner, number, django_assert_num_queries
):
    for _ in range(number):
        table = TableFactory(round__event__club=club)
        game, phone = table.games.get(), Actor(table=table.public_id)
        playing.record_entry(game.pk, parse_entry(WHOLE_GAME[0]), context(game, phone))
        playing.record_entry(game.pk, parse_entry(WHOLE_GAME[1]), context(game, owner))
        AuditEntryFactory(club=club, kind="player", subject=f"player:{PlayerFactory(club=club).pk}")
        AuditEntryFactory(club=club, kind="event", subject=f"event:{table.round.event.public_id}")
        ece = AccountFactory()
        link = membership.invite(club, membership.Offer(Role.MEMBER), owner, at=EVENING)
        membership.accept_invitation(link.pk, Actor(ece), at=EVENING)
    director.get(CHANGES)

    # Session, account, club, names, choices, lines; accounts, events, games, players, tables.
    with django_assert_num_queries(12):
        page = director.get(CHANGES)
    assert len(page.context["lines"]) == 6 * number


SERVICES = Path(tournaments.__file__).parent / "services"
NOTING = {"Change", "_change", "_of_round", "Act"}


def acts():
    for path in SERVICES.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in NOTING:
                for part in call.args:
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value


def test_every_act_of_a_service_has_a_word():
    noted = set(acts())
    known = {action for _kind, action in ACTIONS} | set(Revision.Kind.values)

    assert {"rename", "add-event", "invite"} <= noted
    assert noted - known == set()
