from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, reload
from tournaments.engine.documents.games import read_game
from tournaments.models import Report
from tournaments.queries.documents import report_secret
from tournaments.services.documents import reporting as report_building
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


def test_report_without_a_sign_of_the_worker_says_so(visitor, game):
    report = ask(visitor, game)
    Report.objects.update(touched_at=timezone.now() - timedelta(seconds=21))

    assert visitor.get(at(report)).context["stalled"]


def test_finished_report_is_downloaded_under_a_name_that_tells_the_game(visitor, game, finish):
    report = ask(visitor, game)
    finish(report)

    page = visitor.get(at(report))
    document = visitor.get(at(report, "report_file"))

    assert at(report, "report_file") in page.text
    assert "hx-get" not in page.text
    assert document.getvalue() == b"%PDF-1.7"
    assert document["Content-Type"] == "application/pdf"
    assert "no-store" in document["Cache-Control"]
    name = "King%202026-11-20%20Ay%C5%9Fe%20Burak%20Cem%20Deniz.pdf"
    assert document["Content-Disposition"] == f"inline; filename*=utf-8''{name}"


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


def test_empty_sheet_is_asked_for_by_ruleset(visitor):
    answer = visitor.post(reverse("empty_sheet", args=["rifki"]))

    report = Report.objects.get()
    assert answer.url == at(report)
    assert (report.kind, report.parameters, report.language) == (
        "empty-sheet",
        {"ruleset": "rifki"},
        "en",
    )
    assert "Rıfkı, empty sheet" in visitor.get(at(report)).text


def test_record_is_the_game_as_a_portable_document(visitor, game):
    answer = visitor.get(under("follow_record", game, "follow"))

    reading = read_game(answer.json())
    assert answer["Content-Type"] == "application/json"
    assert reading.problems == ()
    assert reading.game.totals == (-220, -60, -700, -220)
