import re
from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, ReportFactory, reload
from tests.tournament_builders import NINE, closed, published, running
from tournaments.engine.documents.games import read_game
from tournaments.models import Event, Report
from tournaments.queries.documents import report_secret
from tournaments.services.audit import NOBODY
from tournaments.services.documents import reporting as report_building
from tournaments.services.documents.reporting import claim_report
from tournaments.services.rounds.seating import seat_next_round, take_back_round
from tournaments.web.base.phone import address


@pytest.fixture
def game():
    return reload(GameFactory(entries=WHOLE_GAME[:3])).row


def under(name, game, kind):
    return reverse(name, args=[game.public_id, game.secret(kind)])


def at(report, name="report"):
    return reverse(name, args=[report.pk, report_secret(report.pk)])


def ask(visitor, game):
    visitor.post(under("scoresheet", game, "write"))
    return Report.objects.get()


def fail(report):
    for _ in range(3):
        claimed = report_building.claim_report(report.pk, timezone.now())
        report_building.retry_report(claimed, ValueError("no paper"), timezone.now())


@pytest.fixture
def finish(tmp_path):
    def build(report):
        document = tmp_path / "document.pdf"
        document.write_bytes(b"%PDF-1.7")
        claimed = report_building.claim_report(report.pk, timezone.now())
        report_building.finish_report(claimed, document, timezone.now())

    return build


@pytest.mark.parametrize(
    ("name", "kind"), [("scoresheet", "write"), ("follow_scoresheet", "follow")]
)
def test_scoresheet_is_asked_for_in_the_language_of_the_reader(client, game, name, kind):
    answer = client.post(under(name, game, kind), headers={"accept-language": "tr"})

    report = Report.objects.get()
    assert answer.url == at(report)
    assert (report.kind, report.game, report.language) == ("scoresheet", game, "tr")
    assert report.follow_url == "http://testserver" + address(game, "follow")


def test_report_shows_its_steps_and_asks_again(visitor, game):
    report = ask(visitor, game)
    waiting = visitor.get(at(report))
    claimed = report_building.claim_report(report.pk, timezone.now())
    report_building.BuildProgress(claimed)(Report.Step.SETTING, 3, 10)
    building = visitor.get(at(report))

    assert (waiting.context["step"], building.context["step"]) == (0, 2)
    assert [name for _, name in building.context["steps"]] == [
        "Waiting for its turn",
        "Reading the sheet",
        "Setting the page",
        "Keeping the file",
    ]
    assert f'hx-get="{at(report)}"' in building.text
    assert '<meta http-equiv="refresh"' in building.text
    assert not building.context["stalled"]
    assert (waiting.context["bar"], building.context["bar"]) == (0, 49)
    assert "3 / 10" in building.text
    Report.objects.update(touched_at=timezone.now() - timedelta(seconds=21))
    assert visitor.get(at(report)).context["stalled"]


def test_report_whose_time_is_over_is_not_given_out(visitor, game, finish):
    report = ask(visitor, game)
    finish(report)
    Report.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for name in ("report", "report_file"):
        assert visitor.get(at(report, name)).status_code == 404


def test_report_is_cancelled_and_asked_for_again(visitor, game):
    report = ask(visitor, game)
    assert visitor.post(at(report), {"do": "cancel"}).url == at(report)
    page = visitor.get(at(report))
    assert "Cancelled." in page.text
    assert "hx-get" not in page.text
    visitor.post(at(report))
    assert Report.objects.get().state == Report.State.WAITING


def test_finished_report_is_downloaded_under_a_name_that_tells_the_game(visitor, game, finish):
    report = ask(visitor, game)
    finish(report)

    page = visitor.get(at(report))
    document = visitor.get(at(report, "report_file"))
    again = visitor.post(under("scoresheet", game, "write"))
    assert again.url == at(report, "report_file")

    assert at(report, "report_file") in page.text
    assert "hx-get" not in page.text
    assert document.getvalue() == b"%PDF-1.7"
    assert document["Content-Type"] == "application/pdf"
    assert "no-store" in document["Cache-Control"]
    name = "King%202026-11-20%20Ay%C5%9Fe%20Burak%20Cem%20Deniz.pdf"
    assert document["Content-Disposition"] == f"attachment; filename*=utf-8''{name}"


def test_failed_report_says_why_and_is_tried_again(visitor, game):
    report = ask(visitor, game)
    fail(report)

    page = visitor.get(at(report))
    again = visitor.post(at(report))

    assert "ValueError: no paper" in page.text
    assert again.url == at(report)
    assert Report.objects.get().state == Report.State.WAITING


def test_report_whose_file_was_lost_is_not_found(visitor, game, finish):
    report = ask(visitor, game)
    finish(report)
    report.refresh_from_db()
    report.file.storage.delete(report.file.name)

    assert visitor.get(at(report, "report_file")).status_code == 404
    page = visitor.get(at(report)).text
    assert "The file is gone; it can be made again." in page
    assert "Try again" in page
    assert at(report, "report_file") not in page


def test_report_leads_the_scorer_back_to_the_sheet(visitor, game):
    visitor.post(under("take", game, "pen"), follow=True)
    game.refresh_from_db()

    assert visitor.get(at(ask(visitor, game))).context["back"] == address(game, "write")


def test_record_is_the_game_as_a_portable_document(visitor, game):
    answer = visitor.get(under("follow_record", game, "follow"))

    reading = read_game(answer.json())
    assert answer["Content-Type"] == "application/json"
    assert reading.problems == ()
    assert reading.game.totals == (-220, -60, -700, -220)


OCTOBER = date(2026, 10, 9)


@pytest.fixture
def club():
    club = make.ClubFactory(paper="us-letter")
    event = make.EventFactory(
        club=club, held_on=OCTOBER, season=make.SeasonFactory(club=club, name="2026")
    )
    make.TableFactory(round__event=event, entries=WHOLE_GAME)
    return club


@pytest.fixture
def member(client, club):
    client.force_login(make.MemberFactory(club=club).user)
    return client


def shape_of(report):
    return (report.kind, report.format, report.language, report.paper, report.audience)


def test_month_is_asked_for_on_the_page_of_numbers(member, club):
    page = member.get(f"/clubs/{club.slug}/records/").text
    assert '<option value="2026-10">October 2026</option>' in page

    answer = member.post(
        f"/clubs/{club.slug}/month/", {"month": "2026-10", "format": "pdf", "language": "it"}
    )

    report = Report.objects.get()
    assert shape_of(report) == ("club-month", "pdf", "it", "us-letter", "members")
    assert (report.club, report.parameters) == (club, {"month": "2026-10"})
    assert "October 2026" in member.get(answer.url).text


@pytest.mark.parametrize(
    "sent", [{"month": "2026-09", "format": "pdf"}, {"month": "2026-10", "format": "xlsx"}]
)
def test_month_or_file_that_is_not_offered_is_not_there(member, club, sent):
    assert member.post(f"/clubs/{club.slug}/month/", sent).status_code == 404
    assert not Report.objects.exists()


def test_season_is_asked_for_as_the_page_of_the_player_shows_it(member, club):
    player, season = club.players.get(name="Ayşe"), club.seasons.get()
    at = f"/clubs/{club.slug}/players/{player.public_id}/"
    of_another = {"season": make.SeasonFactory().pk, "format": "pdf"}
    assert member.post(f"{at}document/", of_another).status_code == 404
    assert f'name="season" value="{season.pk}"' in member.get(f"{at}?season={season.pk}").text
    assert 'name="season"' not in member.get(at).text

    sent = {"season": season.pk, "game": "turkish-king", "format": "pdf"}
    answer = member.post(f"{at}document/", sent)

    report = Report.objects.get()
    assert shape_of(report) == ("player-season", "pdf", "en", "us-letter", "members")
    told_of = {"season": season.pk, "season_name": "2026", "game": "turkish-king"}
    assert (report.player, report.parameters) == (player, told_of)
    assert f'href="{at}"' in member.get(answer.url).text


Kind = Report.Kind

SEATING = ["seating-by-name-of-round", "seating-by-table-of-round"]
BUTTON = re.compile(r'<button[^>]* name="document" value="([^"]+)\.pdf"( disabled)?')


def of(event):
    return reverse("event_documents", args=[event.club.slug, event.public_id])


def offered(page):
    found = BUTTON.findall(page.text)
    return [name for name, off in found if not off], [name for name, off in found if off]


@pytest.fixture
def row():
    return running(*NINE, rounds=3)


@pytest.fixture
def someone(visitor):
    """A browser of somebody with a role in the club, or of a stranger, at its events."""

    def come(role, event):
        if role == "stranger":
            Event.objects.update(published=True)
            return visitor
        return visitor.become(role, event.club)

    return come


@pytest.mark.parametrize(
    ("role", "kinds"),
    [
        (
            "director",
            {
                "round-papers-of-round",
                "table-cards-of-round",
                "sheets-of-round",
                "certificates",
                "name-badges",
            },
        ),
        ("member", {"sheets-of-round", "sheets"}),
        ("stranger", set()),
    ],
)
def test_everybody_is_offered_what_is_theirs(someone, row, role, kinds):
    closed(row)

    there, waiting = offered(someone(role, row.event).get(of(row.event)))

    assert set(there) >= {*SEATING, "standings", "cross-table", *kinds}
    ours = {"round-papers-of-round", "table-cards-of-round", "certificates", "name-badges"}
    assert (set(there) & ours, waiting) == (kinds & ours, [])
    assert ("sheets" in there) == (role != "stranger")


@pytest.mark.parametrize("role", ["director", "member", "stranger"])
def test_what_is_for_directors_is_given_to_them_alone(someone, row, role):
    closed(row)
    browser = someone(role, row.event)

    answer = browser.post(of(row.event), {"document": "table-cards-of-round.pdf", "round": "1"})

    if role != "director":
        assert (answer.status_code, Report.objects.count()) == (404, 0)
        return
    report = Report.objects.get()
    assert answer.url == reverse("report", args=[report.pk, report_secret(report.pk)])
    assert (report.kind, report.audience) == ("table-cards", "directors")
    browser.logout()
    Event.objects.update(published=True)
    assert browser.get(answer.url).status_code == 404


def test_stranger_who_asks_without_end_has_to_wait(someone, row):
    closed(row)
    asked = {"document": "standings.csv"}
    stranger = someone("stranger", row.event)
    codes = [stranger.post(of(row.event), asked).status_code for _ in range(21)]
    assert codes == [302] * 20 + [429]
    assert Report.objects.count() == 1
    assert someone("member", row.event).post(of(row.event), asked).status_code == 302


def test_what_there_is_not_is_not_found(someone, row):
    published(row)
    director = someone("director", row.event)

    for fields in (
        {},
        {"document": "seating-by-name-of-round.json", "round": "1"},
        {"document": "seating-by-name-of-round.pdf", "round": "2"},
        {"document": "name-badges.csv"},
    ):
        assert director.post(of(row.event), fields).status_code == 404
    assert not Report.objects.exists()


def test_round_that_was_taken_back_meanwhile_has_no_table_cards(someone, row):
    round_ = published(row)
    director = someone("director", row.event)
    take_back_round(round_.pk, NOBODY, at=EVENING)

    fields = {"document": "table-cards-of-round.pdf", "round": "1"}
    page = director.post(of(row.event), fields, follow=True)

    assert "Table cards: Once this round is published." in page.text
    assert not Report.objects.exists()


def test_round_that_is_played_is_chosen_unless_another_one_is(someone, row):
    closed(row)
    published(row)
    director = someone("director", row.event)

    page = director.get(of(row.event))
    other = director.get(of(row.event), {"round": "1"})
    none = director.get(of(row.event), {"round": "9"})

    assert [p.context["round"].number for p in (page, other, none)] == [2, 1, 2]
    assert page.context["rounds"] == [
        (2, "Round 2 · published, not open yet"),
        (1, "Round 1 · closed"),
    ]


@pytest.mark.parametrize("script", [True, False])
def test_document_leaves_the_chosen_round_as_it_is(someone, row, finish, script):
    closed(row)
    published(row)
    director = someone("director", row.event)
    headers = {"HX-Request": "true"} if script else {}
    fields = {"document": "seating-by-name-of-round.pdf", "round": "1"}

    answer = director.post(of(row.event), fields, headers=headers)

    report = Report.objects.get()
    here = reverse("report", args=[report.pk, report_secret(report.pk)])
    if script:
        # It is made beside the list, and saved from there.
        assert 'hx-get="' + here + "?beside" in answer.text
        finish(report)
        made = director.get(here, {"beside": ""}, headers=headers).text
        assert "<html" not in answer.text + made
        assert re.search(r"<b>Seating by name</b>.*download>\s*Download \(PDF\)", made, re.DOTALL)
        take_back_round(row.event.rounds.get(number=2).pk, NOBODY, at=EVENING)
        fields = {"document": "table-cards-of-round.pdf", "round": "2"}
        refused = director.post(of(row.event), fields, headers=headers)
        assert (refused.status_code, "Once this round is published." in refused.text) == (200, True)
    else:
        assert answer.url == here
        assert f'href="{of(row.event)}?round=1"' in director.get(here).text


def test_what_was_asked_for_lately_is_listed_for_who_asked(someone, row):
    director = someone("director", row.event)
    shape = {"game": None, "event": row.event, "club": row.event.club, "audience": "directors"}
    mine = ReportFactory(
        kind=Kind.SEATING_BY_NAME, asked_by=director.user, parameters={"round": 1}, **shape
    )
    ReportFactory(kind=Kind.NAME_BADGES, **shape)
    ReportFactory(kind=Kind.NAME_BADGES, asked_by=director.user, game=None, club=row.event.club)
    claim_report(mine.pk, EVENING)

    (found,) = director.get(of(row.event)).context["recent"]

    assert (found["row"], found["title"]) == (mine, "Seating by name")
    assert found["words"].split(" · ")[0::2] == ["Round 1", "being made"]


def test_seated_round_is_the_directors_own(someone, row):
    seat_next_round(row.pk, NOBODY, at=EVENING)

    there, waiting = offered(someone("director", row.event).get(of(row.event)))
    papers = ["round-papers-of-round", *SEATING, "name-badges"]
    assert (there, "table-cards-of-round" in waiting) == (papers, True)
    page = someone("member", row.event).get(of(row.event))
    assert (page.context["round"], offered(page)[0]) == (None, [])
    assert "Once a round is published." in page.text
    fields = {"document": f"{SEATING[0]}.pdf", "round": "1"}
    assert someone("member", row.event).post(of(row.event), fields).status_code == 404
