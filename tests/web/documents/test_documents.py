"""Asking for documents, watching them being made, taking them along."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, reload
from tournaments.engine.records import read_game
from tournaments.models import Report
from tournaments.services.documents import building as report_building
from tournaments.telling.documents import report_secret
from tournaments.web.phone import address

pytestmark = pytest.mark.django_db


@pytest.fixture
def phone(client):
    """A browser in English."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def game():
    """A game with three deals."""
    return reload(GameFactory(entries=WHOLE_GAME[:3])).row


def under(name, game, kind):
    return reverse(name, args=[game.public_id, game.secret(kind)])


def at(report, name="report"):
    return reverse(name, args=[report.pk, report_secret(report.pk)])


def ask(phone, game):
    phone.post(under("scoresheet", game, "write"))
    return Report.objects.get()


def fail(report):
    for _ in range(3):
        claimed = report_building.claim_report(report.pk, timezone.now())
        report_building.retry_report(claimed, ValueError("no paper"), timezone.now())


@pytest.fixture
def finish(tmp_path):
    """Build a report, whatever it says."""

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


def test_scoresheet_asked_for_twice_is_one(phone, game):
    urls = {phone.post(under("scoresheet", game, "write")).url for _ in range(2)}

    assert urls == {at(Report.objects.get())}


@pytest.mark.parametrize(
    ("name", "kind"), [("scoresheet", "follow"), ("follow_scoresheet", "write")]
)
def test_scoresheet_needs_the_right_address(phone, game, name, kind):
    assert phone.post(under(name, game, kind)).status_code == 404
    assert not Report.objects.exists()


def test_report_shows_its_steps_and_asks_again(phone, game):
    report = ask(phone, game)
    waiting = phone.get(at(report))
    claimed = report_building.claim_report(report.pk, timezone.now())
    report_building.Progress(claimed)(Report.Step.SETTING, 3, 10)
    building = phone.get(at(report))

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


def test_report_whose_time_is_over_is_not_given_out(phone, game, finish):
    report = ask(phone, game)
    finish(report)
    Report.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for name in ("report", "report_file"):
        assert phone.get(at(report, name)).status_code == 404


def test_report_is_cancelled_and_asked_for_again(phone, game):
    report = ask(phone, game)
    assert phone.post(at(report), {"do": "cancel"}).url == at(report)
    page = phone.get(at(report))
    assert "Cancelled." in page.text
    assert "hx-get" not in page.text
    phone.post(at(report))
    assert Report.objects.get().state == Report.State.WAITING


def test_report_sends_htmx_its_fragment_only(phone, game):
    page = phone.get(at(ask(phone, game)), headers={"hx-request": "true"})

    assert page.text.strip().startswith('<div class="report')


def test_report_without_a_sign_of_the_worker_says_so(phone, game):
    report = ask(phone, game)
    Report.objects.update(touched_at=timezone.now() - timedelta(seconds=21))

    assert phone.get(at(report)).context["stalled"]


def test_finished_report_is_downloaded_under_a_name_that_tells_the_game(phone, game, finish):
    report = ask(phone, game)
    finish(report)

    page = phone.get(at(report))
    document = phone.get(at(report, "report_file"))

    assert at(report, "report_file") in page.text
    assert "hx-get" not in page.text
    assert document.getvalue() == b"%PDF-1.7"
    assert document["Content-Type"] == "application/pdf"
    assert "no-store" in document["Cache-Control"]
    name = "King%202026-11-20%20Ay%C5%9Fe%20Burak%20Cem%20Deniz.pdf"
    assert document["Content-Disposition"] == f"inline; filename*=utf-8''{name}"


def test_scoresheet_already_built_is_offered_at_once(phone, game, finish):
    finish(ask(phone, game))

    page = phone.post(under("scoresheet", game, "write"), follow=True)

    assert "Download (PDF)" in page.text


def test_failed_report_says_why_and_is_tried_again(phone, game):
    report = ask(phone, game)
    fail(report)

    page = phone.get(at(report))
    again = phone.post(at(report))

    assert "ValueError: no paper" in page.text
    assert again.url == at(report)
    assert Report.objects.get().state == Report.State.WAITING


def test_unfinished_report_has_no_file(phone, game):
    assert phone.get(at(ask(phone, game), "report_file")).status_code == 404


def test_report_whose_file_was_lost_is_not_found(phone, game, finish):
    report = ask(phone, game)
    finish(report)
    report.refresh_from_db()
    report.file.storage.delete(report.file.name)

    assert phone.get(at(report, "report_file")).status_code == 404
    page = phone.get(at(report)).text
    assert "The file is gone; it can be made again." in page
    assert "Try again" in page
    assert at(report, "report_file") not in page


def test_report_needs_its_secret(phone, game):
    report = ask(phone, game)

    for name in ("report", "report_file"):
        wrong = reverse(name, args=[report.pk, report_secret(report.pk + 1)])
        assert phone.get(wrong).status_code == 404


def test_report_leads_whoever_follows_back_to_the_follow_page(phone, game):
    assert phone.get(at(ask(phone, game))).context["back"] == address(game, "follow")


def test_report_leads_whoever_has_the_pen_back_to_the_write_page(phone, game):
    phone.post(under("take", game, "pen"))
    game.refresh_from_db()

    assert phone.get(at(ask(phone, game))).context["back"] == address(game, "write")


def test_empty_sheet_is_asked_for_by_ruleset(phone):
    answer = phone.post(reverse("empty_sheet", args=["rifki"]))

    report = Report.objects.get()
    assert answer.url == at(report)
    assert (report.kind, report.parameters, report.language) == (
        "empty-sheet",
        {"ruleset": "rifki"},
        "en",
    )
    assert "Rıfkı, empty sheet" in phone.get(at(report)).text


def test_empty_sheet_of_an_unknown_ruleset_is_not_found(phone):
    assert phone.post(reverse("empty_sheet", args=["bridge"])).status_code == 404


def test_record_is_the_game_as_a_portable_document(phone, game):
    answer = phone.get(under("follow_record", game, "follow"))

    reading = read_game(answer.json())
    assert answer["Content-Type"] == "application/json"
    assert reading.problems == ()
    assert reading.game.totals == (-220, -60, -700, -220)


def test_record_needs_the_follow_address(phone, game):
    assert phone.get(under("follow_record", game, "write")).status_code == 404
