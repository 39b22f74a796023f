import json

import pytest
from django.core.files.storage import default_storage

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, SetupFactory, record, reload
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Entrant, Game, Merge, Player, Report, Revision
from tournaments.reports.documents import build_report
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.documents import reporting
from tournaments.services.entrants.registration import lock_entrant, withdraw_entrant
from tournaments.services.games import playing
from tournaments.services.games.tables import remove_table
from tournaments.services.people import changes
from tournaments.services.people import players as people
from tournaments.services.people.export import export_player
from tournaments.services.people.merging import merge_players

pytestmark = pytest.mark.django_db

RIFKI = WHOLE_GAME[0]
FINE = {"type": "adjustment", "seat": 1, "points": -50, "reason": "AYŞE geç kaldı, Ayşegül değil"}


@pytest.fixture
def director():
    return Actor(make.AccountFactory(), address="192.0.2.7")


@pytest.fixture
def game():
    """A club's game of Ayşe, Burak, Cem and Deniz with two deals, one by Ayşe, one by Burak."""
    game = make.TableFactory(entries=[RIFKI]).games.get()
    context = ContextFactory(revision=1, author="Burak")
    playing.record_entry(game.pk, parse_entry(FINE), context)
    return reload(game).row


def player_at(game, seat):
    return Player.objects.get(seats__game=game, seats__number=seat)


def players_of(game):
    return Game.objects.get(pk=game.pk).players


def authors_of(game):
    return [write.author for write in reload(game).revisions]


def test_name_is_stored_without_what_cannot_be_seen_and_something_must_be_left(director):
    club = make.ClubFactory()

    for text in ("", "  ", "...", "\u200b", "x" * 81, "\ufdfa" * 80):
        with pytest.raises(people.NoName):
            people.add_player(club, text, director, at=EVENING)
    assert people.clean_name("x" * 80) == "x" * 80
    player = people.add_player(club, " Ay\u00adşe\t Nur\0 ", director, at=EVENING)

    assert Player.objects.get() == player
    assert player.name == "Ayşe Nur"


def test_names_at_a_table_are_never_alike():
    names = ["A (3)", "A", "A", "A"]
    players = [Player(name=name) for name in names] + [Player(), Player(name="№ 5")]

    shown = people.names_at_table(players)

    assert shown == ["A (3)", "A", "A (3) (3)", "A (4)", "№ 5", "№ 5 (6)"]


def test_new_name_stands_on_the_sheets_and_at_the_writes_of_the_player(game, director):
    player = player_at(game, 0)
    other = make.TableFactory(players=["Ayşe", "Burak", "Cem", "Deniz"]).games.get()

    for _tap in range(2):
        changes.rename_player(player.pk, " Ayşen ", director, at=EVENING)

    assert players_of(game) == ["Ayşen", "Burak", "Cem", "Deniz"]
    assert players_of(other)[0] == "Ayşe"
    assert player.club.audit_lines.filter(action="rename").count() == 1
    line = player.club.audit_lines.first()
    assert (line.kind, line.action, line.subject) == ("player", "rename", f"player:{player.pk}")
    assert (line.before, line.after) == ({"name": "Ayşe"}, {"name": "Ayşen"})
    assert (line.user, line.address) == (director.user, "192.0.2.7")
    # It is no write of the table, whose phone gave the name that is gone.
    record(game, WHOLE_GAME[1])
    assert reload(game).row.revision == 3
    assert authors_of(game) == ["Ayşen", "Burak", ""]


def test_equal_initials_at_one_table_are_told_apart_also_as_authors(director):
    table = make.TableFactory(players=["Ayşe Yıl", "Ali Yan", "Cem", "Deniz"])
    game = table.games.get()
    for revision, author in enumerate(["Ayşe Yıl", "Ali Yan"]):
        playing.record_entry(
            game.pk,
            parse_entry(WHOLE_GAME[revision]),
            ContextFactory(revision=revision, author=author),
        )
    for seat in (0, 1):
        changes.set_initials(player_at(game, seat).pk, True, director, at=EVENING)
    assert players_of(game) == ["A. Y.", "A. Y. (2)", "Cem", "Deniz"]
    assert authors_of(game) == ["A. Y.", "A. Y. (2)"]

    changes.set_initials(player_at(game, 0).pk, False, director, at=EVENING)

    assert players_of(game) == ["Ayşe Yıl", "A. Y.", "Cem", "Deniz"]


def report_of(game):
    asked = reporting.request_scoresheet(game, language="tr", follow_url="x", at=EVENING)
    build_report(asked.pk)
    asked.refresh_from_db()
    return asked


def test_documents_that_show_the_old_name_are_gone(
    game, director, django_capture_on_commit_callbacks
):
    other, pk = report_of(make.TableFactory().games.get()), player_at(game, 0).pk

    for change in (
        lambda: changes.rename_player(pk, "Ayşen", director, at=EVENING),
        lambda: changes.set_initials(pk, True, director, at=EVENING),
        lambda: changes.remove_player(pk, director, at=EVENING),
    ):
        old = report_of(reload(game).row)
        with django_capture_on_commit_callbacks(execute=True):
            change()

        assert list(Report.objects.all()) == [other]
        assert not default_storage.exists(old.file.name)
    assert default_storage.exists(other.file.name)


def everything_kept():
    from django.apps import apps

    tables = [model for model in apps.get_models() if model.__module__.startswith("tournaments")]
    return "\n".join(str(row) for model in tables for row in model.objects.values())


@pytest.fixture
def remarked(game, director):
    """The game after Ayşe, once Ayşecan, was spoken of in every place that keeps words."""
    club = player_at(game, 0).club
    player = player_at(game, 0)
    changes.rename_player(player.pk, "Ayşecan Gür", director, at=EVENING)
    changes.rename_player(player.pk, "Ayşe Gür", director, at=EVENING)
    game.refresh_from_db()
    head = SetupFactory(players=game.players, title="Ayşe Gür'ün günü", place="Ayşe Gür")
    playing.change_head(game.pk, head, ContextFactory(revision=2, author="Ayşe Gür"))
    fine = {"type": "adjustment", "seat": 0, "points": -5, "reason": "AYŞE  GÜR bekletti"}
    playing.record_entry(game.pk, parse_entry(fine), ContextFactory(revision=3, author="Cem"))
    playing.correct_entry(
        game.pk, 0, parse_entry({**RIFKI, "counts": {"heart_king": [1, 0, 0, 0]}}), "ayşe gür'ündü",
        ContextFactory(revision=4, author="Ayşe Gür"),
    )  # fmt: skip
    make.AuditEntryFactory(
        club=club, kind="event", action="seat", subject="table:x",
        after={"players": ["Ayşe Gür", "Burak"]}, reason="Ayşe Gür geç geldi",
    )  # fmt: skip
    row = reload(game).row
    row.phones = [{"name": name, "phone": "x" * 10} for name in row.players]
    row.save()
    return row


def test_removed_name_is_kept_nowhere_and_the_results_stay(
    remarked, director, django_capture_on_commit_callbacks
):
    totals = reload(remarked).game.totals
    report_of(remarked)
    player = player_at(remarked, 0)
    secret = player.claim_secret
    Player.objects.filter(pk=player.pk).update(account=make.MemberFactory(club=player.club).user)
    assert "Ayşe" in everything_kept()

    with django_capture_on_commit_callbacks(execute=True):
        changes.remove_player(player.pk, director, at=EVENING)

    kept = everything_kept()
    assert [name for name in ("Ayşe Gür", "Ayşecan", "ayşe gür", "AYŞE  GÜR") if name in kept] == []
    assert reload(remarked).game.totals == totals
    assert players_of(remarked) == ["№ 1", "Burak", "Cem", "Deniz"]
    assert authors_of(remarked) == ["№ 1", "Burak", "№ 1", "Cem", "№ 1"]
    assert reload(remarked).body(0)["counts"] == {"heart_king": [1, 0, 0, 0]}
    assert reload(remarked).revisions[-1].reason == "№'ündü"
    assert (reload(remarked).row.title, reload(remarked).row.place) == ("№'ün günü", "№")
    player.refresh_from_db()
    assert (player.name, player.account, player.removed_at) == ("", None, EVENING)
    assert not Player.objects.claimable_at(player.public_id, secret).exists()
    assert player.club.members.count() == 1
    asked = report_of(remarked)
    assert asked.parameters["record"]["players"] == ["№ 1", "Burak", "Cem", "Deniz"]
    line = player.club.audit_lines.first()
    assert (line.action, line.before, line.after) == ("remove", None, None)
    assert (line.subject, line.user) == (f"player:{player.pk}", director.user)


@pytest.fixture
def left(game):
    player = player_at(game, 0)
    changes.rename_player(player.pk, "Ayşe Gür", NOBODY, at=EVENING)
    make.PlayerFactory(club=player.club, name="Elif")
    head = SetupFactory(players=("Elif", "Burak", "Cem", "Deniz"))
    playing.change_head(game.pk, head, ContextFactory(revision=2, author="Burak"))
    return player


def test_name_follows_where_the_player_sat_once(left):
    changes.set_initials(left.pk, True, NOBODY, at=EVENING)

    assert Revision.objects.get(kind="head").before["players"][0] == "A. G."
    assert list(Revision.objects.values_list("author", flat=True)) == ["A. G.", "Burak", "Burak"]


def test_name_that_somebody_else_has_now_stays_theirs(left):
    changes.rename_player(left.pk, "Gül", NOBODY, at=EVENING)
    make.PlayerFactory(club=left.club, name="Ayşe Gür")

    changes.remove_player(left.pk, NOBODY, at=EVENING)

    assert Revision.objects.get(kind="head").before["players"][0] == "Ayşe Gür"


def test_removed_name_is_gone_from_what_is_told_of_tables_taken_away(game):
    player = player_at(game, 0)
    changes.rename_player(player.pk, "Ayşe Gür", NOBODY, at=EVENING)
    head = SetupFactory(players=("Ayşe Gür", "Burak", "Cem", "Deniz"), title="Final")
    playing.change_head(game.pk, head, ContextFactory(revision=2))
    fine = {"type": "adjustment", "seat": 0, "points": -5, "reason": "Ayşe Gür bekletti"}
    playing.record_entry(game.pk, parse_entry(fine), ContextFactory(revision=3))
    remove_table(game.table_id, NOBODY, at=EVENING)

    changes.remove_player(player.pk, NOBODY, at=EVENING)

    assert "Ayşe Gür" not in everything_kept()


def test_somebody_removed_is_changed_no_more(game, director):
    player = player_at(game, 0)
    changes.remove_player(player.pk, director, at=EVENING)

    for change in (
        lambda: changes.rename_player(player.pk, "Ayşe", director, at=EVENING),
        lambda: changes.set_initials(player.pk, True, director, at=EVENING),
        lambda: changes.remove_player(player.pk, director, at=EVENING),
    ):
        with pytest.raises(Player.DoesNotExist):
            change()


def test_name_is_taken_out_however_it_is_written():
    for said, left in (
        ("IŞIL geldi", "№ geldi"),
        ("ışıl'ın eli", "№'ın eli"),
        ("Işı\u0307l", "№"),
        ("Is\u0327ıl geldi", "№ geldi"),
        ("Işılay geldi", "Işılay geldi"),
        ("I. geldi", "I. geldi"),
        ("I. (3)", "№"),
        (
            ["Işıl", {"players": ["ISIL", "IŞIL (2)"], "at": 7}],
            ["№", {"players": ["ISIL", "№"], "at": 7}],
        ),
        (None, None),
    ):
        assert changes.without_names(["Işıl", "I."])(said) == left


@pytest.mark.parametrize("games", [1, 3])
def test_names_follow_in_a_fixed_number_of_queries(games, django_assert_num_queries):
    player = make.PlayerFactory(name="Ayşe")
    for _ in range(games):
        make.TableFactory(round__event__club=player.club, entries=[RIFKI])

    with django_assert_num_queries(17):
        changes.rename_player(player.pk, "Ayşen", NOBODY, at=EVENING)

    assert {row.players[0] for row in Game.objects.all()} == {"Ayşen"}


@pytest.fixture
def tournament():
    return make.TournamentFactory(slug="acik")


@pytest.fixture
def gur(tournament):
    return make.PlayerFactory(name="Ayşe Gür", club=tournament.event.club)


def test_removed_name_is_in_no_ruling_and_the_entrant_stays(gur, tournament):
    entrant = make.EntrantFactory(tournament=tournament, player=gur)
    round_ = make.RoundFactory(event=tournament.event)
    make.RulingFactory(round=round_, entrant=entrant, reason="AYŞE GÜR geç geldi")
    other = make.EntrantFactory(tournament=tournament)
    about_another = make.RulingFactory(round=round_, entrant=other, reason="Ayşe Gür'e bağırdı")
    elsewhere = make.RulingFactory(reason="Ayşe Gür bekletti")

    changes.remove_player(gur.pk, NOBODY, at=EVENING)

    about_another.refresh_from_db()
    elsewhere.refresh_from_db()
    assert about_another.reason == "№'e bağırdı"
    assert elsewhere.reason == "Ayşe Gür bekletti"
    elsewhere.delete()
    assert "GÜR" not in everything_kept().upper()
    assert Entrant.objects.get(pk=entrant.pk).shown_name == f"№ {entrant.number}"


@pytest.mark.parametrize("number", [1, 3])
def test_export_of_a_player_lists_tournaments(gur, tournament, number, django_assert_num_queries):
    entrant = make.EntrantFactory(tournament=tournament, player=gur, number=1, team="Moda")
    for _ in range(number - 1):
        make.RulingFactory(entrant=make.EntrantFactory(partner=gur), round__number=1)
    make.RulingFactory(entrant=entrant, round__number=2, reason="bekletti")
    pair = make.EntrantFactory(tournament__slug="ciftler", player=make.PlayerFactory(), number=7)
    make.SubstituteFactory(entrant=pair, player=gur, round_number=3)

    # Beside the tournaments: the transaction, the person, games, audit and phones that are told.
    with (
        django_assert_num_queries(15),
        export_player(gur.pk, NOBODY, at=EVENING) as document,
    ):
        mine = json.load(document)["tournaments"]

    assert (mine[0]["slug"], mine[0]["entrant"], mine[0]["team"]) == ("acik", "e1", "Moda")
    (ruling,) = mine[0]["rulings"]
    assert (ruling["round"], ruling["points"], ruling["reason"]) == (2, 1, "bekletti")
    assert len(mine) == number + 1
    assert (mine[-1]["slug"], mine[-1]["entrant"]) == ("ciftler", "e7")
    assert mine[-1]["substitute_in_round"] == 3


def test_change_of_an_entrant_leaves_alone_who_it_is(gur, tournament, monkeypatch):
    """As when a merge has given the entrant to another row since it was read."""
    kept = make.PlayerFactory(club=gur.club)
    entrant = make.EntrantFactory(tournament=tournament, player=gur)

    def read_before_the_merge(pk):
        found = lock_entrant(pk)
        merge_players(kept.pk, gur.pk, NOBODY, at=EVENING)
        return found

    monkeypatch.setattr(
        "tournaments.services.entrants.registration.lock_entrant", read_before_the_merge
    )
    withdraw_entrant(entrant.pk, NOBODY, at=EVENING)

    entrant.refresh_from_db()
    assert (entrant.player, entrant.withdrawn_at) == (kept, EVENING)
    assert Merge.objects.get().entrants == {"player": [entrant.pk]}
