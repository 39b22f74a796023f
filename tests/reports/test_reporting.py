from datetime import timedelta
from queue import Empty

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from kingscore.celery import app
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, ReportFactory, record, reload
from tests.waiting import PATIENCE
from tournaments.models import Report
from tournaments.models.reports import GIVEN_UP_AFTER, MOST_ATTEMPTS
from tournaments.services.documents.reporting import (
    cancel_report,
    claim_report,
    expire_reports,
    finish_report,
    request_empty_sheet,
    request_scoresheet,
    try_again,
)
from tournaments.services.games import playing
from tournaments.tasks import build_report, sweep_reports

pytestmark = pytest.mark.django_db


def ask(game, language="tr", host="https://king.example", at=EVENING, **more):
    url = f"{host}/follow/{game.public_id}/{game.secret('follow')}/"
    return request_scoresheet(game, language=language, follow_url=url, at=at, **more)


def document(report):
    report.refresh_from_db()
    with report.file.open() as file:
        return file.read()


def woken(timeout=0.0):
    """The reports a worker has been woken for since this was last asked."""
    found = []
    with app.connection_for_read() as link:
        queue = link.SimpleQueue("celery")
        try:
            while True:
                message = queue.get(block=bool(timeout), timeout=timeout)
                message.ack()
                found += message.payload[0]
                timeout = 0.0
        except Empty:
            return found


@pytest.fixture(autouse=True)
def nobody_woken_yet():
    woken()


@pytest.fixture
def game():
    return reload(GameFactory(entries=WHOLE_GAME[:3])).row


def test_same_request_twice_is_one_row(game):
    assert ask(game) == ask(game, at=EVENING + timedelta(hours=1))
    assert Report.objects.count() == 1


@pytest.mark.parametrize("field", ["title", "place", "players", "options"])
def test_new_head_makes_a_new_row(game, field):
    before = ask(game)
    change = {"title": "Final", "place": "Moda", "players": NAMES[::-1], "options": {"king": "off"}}
    setattr(game, field, change[field])
    game.save()
    assert ask(game) != before


def test_language_host_format_and_revoked_address_make_new_rows(game):
    reports = {ask(game), ask(game, "it"), ask(game, host="https://elsewhere.example")}
    reports.add(ask(game, made_as="xlsx"))
    game.follow_generation += 1
    game.save()
    reports.add(ask(game))
    assert len(reports) == 5


def test_new_layout_makes_a_new_row(game, monkeypatch):
    before = ask(game)
    monkeypatch.setattr("tournaments.services.documents.reporting.LAYOUT", 1_000)
    assert ask(game) != before


def test_row_keeps_no_address_that_gives_access(game):
    report = ask(game)
    assert game.secret("follow") not in str(report.parameters)
    address = f"https://king.example/follow/{game.public_id}/{game.secret('follow')}/"
    assert Report.objects.get().follow_url == address


def test_sheet_is_of_the_revision_asked_for_whatever_is_written_after(game):
    seen = playing.Game.objects.get(pk=game.pk)
    record(game, WHOLE_GAME[3])
    assert len(ask(seen).parameters["record"]["entries"]) == 3


def test_request_wakes_a_worker_once_it_is_committed(game, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        report = ask(game)
        assert woken() == []
    with django_capture_on_commit_callbacks(execute=True):
        ask(game)
    assert woken(timeout=PATIENCE) == [report.pk]


def test_built_sheet_is_kept_and_served_at_once(game, pdf):
    report = ask(game)
    build_report(report.pk)
    done = ask(game)
    assert (done.pk, done.state, done.error) == (report.pk, "done", "")
    page = pdf(document(done))
    assert page.pages == 1
    assert "−220 −60 −700 −220" in page.text


def test_empty_sheet_is_asked_for_and_built_once(pdf):
    report = request_empty_sheet("rifki", language="tr", at=EVENING)
    build_report(report.pk)
    again = request_empty_sheet("rifki", language="tr", at=EVENING)
    assert (again.pk, again.state) == (report.pk, "done")
    assert pdf(document(again)).pages == 1
    assert request_empty_sheet("turkish-king", language="tr", at=EVENING).state == "waiting"


def test_task_of_a_done_row_does_nothing(game):
    report = ask(game)
    build_report(report.pk)
    before = Report.objects.values().get()
    build_report(report.pk)
    assert Report.objects.values().get() == before


def test_lost_file_is_built_anew(game):
    report = ask(game)
    build_report(report.pk)
    report.refresh_from_db()
    report.file.storage.delete(report.file.name)
    assert ask(game).state == "waiting"
    build_report(report.pk)
    assert ask(game).state == "done"


def test_half_a_file_left_by_a_dead_worker_is_not_given_out(game, pdf):
    report = ask(game)
    claimed = claim_report(report.pk, timezone.now() - GIVEN_UP_AFTER - timedelta(seconds=1))
    claimed.file.save(f"{claimed.content_key}-half.pdf", ContentFile(b"%PDF-1.7 half"), save=False)
    build_report(report.pk)
    assert pdf(document(report)).pages == 1


def test_claim_is_exclusive_until_given_up():
    report = ReportFactory()
    assert claim_report(report.pk, EVENING) == report
    assert claim_report(report.pk, EVENING + GIVEN_UP_AFTER) is None
    late = EVENING + GIVEN_UP_AFTER + timedelta(seconds=1)
    assert claim_report(report.pk, late) == report
    assert claim_report(report.pk, late) is None
    report.refresh_from_db()
    assert report.attempts == 2


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "document.pdf"
        path.write_text(text)
        return path

    return write


def test_worker_given_up_for_lost_changes_nothing_any_more(written):
    report = ReportFactory()
    late = EVENING + GIVEN_UP_AFTER + timedelta(seconds=1)
    lost, other = claim_report(report.pk, EVENING), claim_report(report.pk, late)
    finish_report(lost, written("%PDF first"), late)
    finish_report(other, written("%PDF second"), late)
    finish_report(lost, written("%PDF third"), late)
    assert document(report) == b"%PDF second"
    assert len(report.file.storage.listdir("reports")[1]) == 1


def test_document_of_a_deleted_game_is_thrown_away(
    game, written, django_capture_on_commit_callbacks
):
    report, late = ReportFactory(game=game), ReportFactory(game=game)
    finish_report(claim_report(report.pk, EVENING), written("%PDF"), EVENING)
    late = claim_report(late.pk, EVENING)
    storage = report.file.storage
    with django_capture_on_commit_callbacks(execute=True):
        playing.delete_game(game.pk)
    finish_report(late, written("%PDF"), EVENING)
    assert storage.listdir("reports")[1] == []
    assert not Report.objects.exists()


def test_cancelled_report_is_not_built_until_asked_for_again(game):
    report = ask(game)
    claimed = claim_report(report.pk, EVENING)
    cancel_report(report, EVENING)
    assert claim_report(report.pk, EVENING + timedelta(days=1)) is None
    report.refresh_from_db()
    assert (report.state, claimed.state) == ("cancelled", "building")
    assert ask(game).state == "waiting"


def test_document_is_thrown_away_when_its_time_is_over(game, django_capture_on_commit_callbacks):
    report = ask(game)
    build_report(report.pk)
    asked_again = ask(game, at=EVENING + timedelta(days=2))
    with django_capture_on_commit_callbacks(execute=True):
        assert expire_reports(EVENING + timedelta(days=8)) == 0
    assert document(asked_again)
    with django_capture_on_commit_callbacks(execute=True):
        assert expire_reports(EVENING + timedelta(days=10)) == 1
    assert not Report.objects.exists()
    assert report.file.storage.listdir("reports")[1] == []


@pytest.fixture
def impossible():
    now = timezone.now()
    fields = {"asked_at": now, "touched_at": now, "parameters": {"ruleset": "whist"}}
    return ReportFactory(kind="empty-sheet", game=None, **fields)


def test_failing_build_is_retried_and_then_fails_with_its_reason(impossible):
    states = []
    for _ in range(MOST_ATTEMPTS):
        build_report(impossible.pk)
        impossible.refresh_from_db()
        states.append(impossible.state)
    assert states == ["waiting", "waiting", "failed"]
    assert impossible.error == "ValueError: no ruleset whist"
    build_report(impossible.pk)
    impossible.refresh_from_db()
    assert impossible.attempts == MOST_ATTEMPTS


def test_failed_report_can_be_tried_again(impossible, django_capture_on_commit_callbacks):
    for _ in range(MOST_ATTEMPTS):
        build_report(impossible.pk)
    impossible.parameters = {"ruleset": "rifki"}
    impossible.save(update_fields=["parameters"])
    with django_capture_on_commit_callbacks(execute=True):
        try_again(impossible, EVENING)
    assert woken(timeout=PATIENCE) == [impossible.pk]
    build_report(impossible.pk)
    impossible.refresh_from_db()
    assert (impossible.state, impossible.error) == ("done", "")


def test_only_a_failed_report_is_tried_again(game):
    report = ask(game)
    build_report(report.pk)
    try_again(report, EVENING)
    report.refresh_from_db()
    assert report.state == "done"


def test_sweep_wakes_a_worker_for_what_waits_and_what_was_left_behind():
    now = timezone.now()
    long_ago = now - GIVEN_UP_AFTER - timedelta(seconds=5)
    waiting = ReportFactory(state="waiting", asked_at=now, touched_at=now)
    killed = ReportFactory(state="building", asked_at=long_ago, touched_at=long_ago)
    ReportFactory(state="building", asked_at=long_ago, touched_at=now)
    ReportFactory(state="failed", asked_at=long_ago, touched_at=long_ago)
    ReportFactory(state="done", file="reports/x.pdf", touched_at=long_ago)
    sweep_reports()
    assert woken(timeout=PATIENCE) == [killed.pk, waiting.pk]


def test_report_whose_workers_die_each_time_fails_in_the_end():
    report, at = ReportFactory(), EVENING
    for _ in range(MOST_ATTEMPTS):
        assert claim_report(report.pk, at) == report
        at += GIVEN_UP_AFTER + timedelta(seconds=1)
    assert claim_report(report.pk, at) is None
    report.refresh_from_db()
    assert (report.state, report.error) == ("failed", "lost")
