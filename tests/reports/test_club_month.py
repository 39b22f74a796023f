from datetime import date

import pytest
from django.utils import translation

from tests import club_factories as make
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tests.rating_factories import PlayerRatingFactory, RatingChangeFactory, RatingPoolFactory
from tests.reports.asked import silent, tournament
from tests.reports.conftest import PAPERS
from tournaments.models import Game, Player, Report, Tournament
from tournaments.queries.site import months_of
from tournaments.reports.months import club_month
from tournaments.reports.typesetting import typeset

pytestmark = pytest.mark.django_db

NOVEMBER = date(2026, 11, 1)
SURE = 40.0**2


def compose(club, month=NOVEMBER):
    return club_month(Report(club=club, parameters={"month": f"{month:%Y-%m}"}), silent)


def evening(club, day, players=NAMES, entries=WHOLE_GAME, **fields):
    event = make.EventFactory(club=club, held_on=day, **fields)
    table = make.TableFactory(round__event=event, players=players, entries=entries)
    Game.objects.filter(table=table).update(played_at=EVENING + (day - EVENING.date()))
    return table.games.get()


def rated(pool, game, name, *, number, points, before):
    player = Player.objects.filter(club=pool.club).called(name).get()
    row = pool.ratings.filter(player=player).first() or PlayerRatingFactory(
        pool=pool, player=player, variance=SURE
    )
    RatingChangeFactory(
        rating=row, game=game, number=number, mean=points, mean_before=before, variance=SURE
    )


@pytest.fixture
def club():
    club = make.ClubFactory(name="Kadıköy King")
    first = evening(club, date(2026, 10, 9), name="Ekim akşamı")
    second = evening(club, date(2026, 11, 6), ("Burak", "Ayşe", "Cem", "Işıl"), name="İlk akşam")
    make.PlayerFactory(club=club, name="Kimse")
    Player.objects.filter(name="Cem").update(name="Cem Uzun", initials=True)
    pool = RatingPoolFactory(club=club)
    rated(pool, first, "Ayşe", number=1, points=1600, before=1500)
    rated(pool, first, "Burak", number=1, points=1550, before=1500)
    rated(pool, second, "Ayşe", number=2, points=1570, before=1600)
    rated(pool, second, "Burak", number=2, points=1590, before=1550)
    rated(pool, second, "Işıl", number=1, points=1480, before=1500)
    make.EventFactory(club=club, held_on=date(2100, 1, 1), name="Yüzyıl akşamı")
    draft = make.TournamentFactory(
        event__club=club, event__held_on=date(2026, 11, 7), state="draft"
    )
    draft.event.name = "Taslak"
    draft.event.save()
    return club


def test_month_tells_of_evenings_people_ratings_and_records(club):
    found = compose(club)

    assert [(one["name"], one["value"], one["note"]) for one in found["figures"]] == [
        ("Evenings", "1", "1 before"),
        ("Games", "1", "1 before"),
        ("Players", "4", "4 before"),
        ("For the first time", "1", ""),
        ("Players an evening", "4", ""),
    ]
    highest = {"text": "Burak", "below": "highest game: 540"}
    assert found["evenings"] == [["6 Nov", {"text": "İlk akşam", "below": ""}, highest, "4", "1"]]
    [board] = found["boards"]
    assert board["rows"] == [
        ["1", {"text": "▲ 1", "style": "small"}, "Burak", "1", "+40", "1590"],
        ["2", {"text": "▼ 1", "style": "small"}, "Ayşe", "1", "−30", "1570"],
        ["3", {"text": "new", "style": "small"}, "Işıl", "1", "–", "1480"],
    ]
    assert found["newcomers"] == {"rows": [["Işıl", "1"]], "note": ""}
    assert found["records"] == []
    assert [row[0] for row in found["active"]] == ["Ayşe", "Burak", "C. U.", "Işıl"]
    assert found["coming"] == [["1 Jan", {"text": "Yüzyıl akşamı", "below": ""}]]
    assert months_of(club, date(2026, 12, 31)) == [NOVEMBER, date(2026, 10, 1)]


def test_first_of_a_tournament_stands_beside_it_and_a_draft_nowhere(club):
    row = tournament(club)
    Tournament.objects.filter(pk=row.pk).update(state="finished")

    found = compose(club)["evenings"]

    assert [cells[1]["text"] for cells in found] == ["İlk akşam", row.event.name]
    assert found[1][2] == {"text": "Ayşe", "style": "strong"}
    Tournament.objects.filter(pk=row.pk).update(state="running")
    assert compose(club)["evenings"][1][2] == {"text": "goes on", "style": "faint"}


def test_record_is_told_with_the_one_it_broke(club):
    lower = {"totals": [400, 0, 0, -400], "ranks": [1, 2, 2, 4]}
    result = lower | {"out": [], "sunk": [], "kings": []}
    old = Game.objects.filter(table__round__event__held_on__lt=NOVEMBER)
    old.update(result=result)

    records = compose(club)["records"]

    assert [(row[0]["text"], row[1]["text"], row[2]["text"], row[3]) for row in records] == [
        ("Highest game", "Burak", "400", "540")
    ]


def test_month_in_which_nothing_was_played_is_told_all_the_same(club):
    found = compose(club, date(2026, 9, 1))

    assert (found["evenings"], found["boards"], found["badges"]) == ([], [], [])


@pytest.mark.parametrize(("language", "paper"), [("tr", "a4"), ("it", "us-letter")])
def test_month_is_set_on_two_pages_that_can_be_read_aloud(club, pdf, language, paper):
    club.paper = paper
    with translation.override(language):
        document = pdf(typeset("club_month.typ", compose(club)))

    assert document.pages <= 2
    assert (document.size, document.is_tagged) == (PAPERS[paper], True)
    assert all(document.fonts.values())
    assert {"tr": "Kasım 2026", "it": "novembre 2026"}[language] in document.text
    assert "Işıl" in document.text
