import os
from datetime import timedelta
from queue import Empty

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.utils import timezone

from kingscore.celery import app
from tests.club_factories import ClubFactory, EventFactory, MemberFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, ReportFactory, record, reload
from tests.waiting import PATIENCE
from tournaments.models import Report
from tournaments.models.clubs import Role
from tournaments.models.reports import GIVEN_UP_AFTER, MOST_ATTEMPTS
from tournaments.services.documents import reporting
from tournaments.services.games import playing
from tournaments.tasks import build_report, sweep_reports

pytestmark = pytest.mark.django_db

KEY = "5" * 64
LATE = EVENING + GIVEN_UP_AFTER + timedelta(seconds=1)


@pytest.fixture
def game():
    return reload(GameFactory(entries=WHOLE_GAME[:3])).row


@pytest.fixture
def event():
    return EventFactory()


@pytest.fixture
def written(tmp_path):
    def write(text="%PDF"):
        path = tmp_path / "document.pdf"
        path.write_text(text)
        return path

    return write


def ask(game, language="tr", host="https://king.example", at=EVENING, **more):
    url = f"{host}/follow/{game.public_id}/{game.secret('follow')}/"
    return reporting.request_scoresheet(game, language=language, follow_url=url, at=at, **more)


def order(event, **changes):
    asked = {
        "kind": Report.Kind.SHEETS,
        "subject": event,
        "audience": Report.Audience.MEMBERS,
        "language": "tr",
        "parameters": {"round": 1},
    }
    return reporting.request_document(reporting.Order(**{**asked, **changes}), EVENING)


def claim(report, at=EVENING):
    return reporting.claim_report(report.pk, at)


def state(report):
    report.refresh_from_db()
    return report.state


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


def test_sheet_asked_for_again_is_one_row_and_another_one_a_new_row(game, monkeypatch):
    first = ask(game)
    assert ask(game, at=EVENING + timedelta(hours=1)) == first

    others = [ask(game, "it"), ask(game, host="https://elsewhere.example")]
    others.append(ask(game, made_as="xlsx"))
    heads = {"title": "Final", "place": "Moda", "players": NAMES[::-1], "options": {"king": "off"}}
    # The last one revokes the address.
    for field, value in {**heads, "follow_generation": game.follow_generation + 1}.items():
        before = getattr(game, field)
        setattr(game, field, value)
        game.save()
        others.append(ask(game))
        setattr(game, field, before)
    monkeypatch.setattr("tournaments.services.documents.reporting.LAYOUT", 1_000)
    others.append(ask(game))
    assert len({first, *others}) == 1 + len(others) == Report.objects.count()


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


def test_report_that_is_done_is_built_no_more(game):
    report = ask(game)
    build_report(report.pk)
    before = Report.objects.values().get()
    build_report(report.pk)
    reporting.try_again(report, EVENING)
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
    claimed = reporting.claim_report(
        report.pk, timezone.now() - GIVEN_UP_AFTER - timedelta(seconds=1)
    )
    claimed.file.save(f"{claimed.content_key}-half.pdf", ContentFile(b"%PDF-1.7 half"), save=False)
    build_report(report.pk)
    assert pdf(document(report)).pages == 1


def test_claim_is_exclusive_until_given_up_and_given_up_for_good_in_the_end():
    report, at = ReportFactory(), EVENING
    for attempt in range(1, MOST_ATTEMPTS + 1):
        assert claim(report, at) == report
        assert claim(report, at + GIVEN_UP_AFTER) is None
        assert (state(report), report.attempts) == ("building", attempt)
        at += GIVEN_UP_AFTER + timedelta(seconds=1)
    assert claim(report, at) is None
    assert (state(report), report.error) == ("failed", "lost")


def test_worker_given_up_for_lost_changes_nothing_any_more(written):
    report = ReportFactory()
    lost, other = claim(report), claim(report, LATE)
    reporting.finish_report(lost, written("%PDF first"), LATE)
    reporting.finish_report(other, written("%PDF second"), LATE)
    reporting.finish_report(lost, written("%PDF third"), LATE)
    assert document(report) == b"%PDF second"
    assert len(report.file.storage.listdir("reports")[1]) == 1


def test_document_of_a_deleted_game_is_thrown_away(
    game, written, django_capture_on_commit_callbacks
):
    report, late = ReportFactory(game=game), ReportFactory(game=game)
    reporting.finish_report(claim(report), written(), EVENING)
    late = claim(late)
    storage = report.file.storage
    with django_capture_on_commit_callbacks(execute=True):
        playing.delete_game(game.pk)
    reporting.finish_report(late, written(), EVENING)
    assert storage.listdir("reports")[1] == []
    assert not Report.objects.exists()


def test_cancelled_report_is_not_built_until_asked_for_again(game):
    report = ask(game)
    claimed = claim(report)
    reporting.cancel_report(report, EVENING)
    assert claim(report, EVENING + timedelta(days=1)) is None
    assert (state(report), claimed.state) == ("cancelled", "building")
    assert ask(game).state == "waiting"


def test_document_is_thrown_away_when_its_time_is_over(game, django_capture_on_commit_callbacks):
    report = ask(game)
    build_report(report.pk)
    asked_again = ask(game, at=EVENING + timedelta(days=2))
    with django_capture_on_commit_callbacks(execute=True):
        assert reporting.expire_reports(EVENING + timedelta(days=8)) == 0
    assert document(asked_again)
    with django_capture_on_commit_callbacks(execute=True):
        assert reporting.expire_reports(EVENING + timedelta(days=10)) == 1
    assert not Report.objects.exists()
    assert report.file.storage.listdir("reports")[1] == []


def test_failing_build_is_retried_then_fails_with_its_reason_and_can_be_tried_again(
    django_capture_on_commit_callbacks,
):
    now, states = timezone.now(), []
    asked = {"asked_at": now, "touched_at": now, "parameters": {"ruleset": "whist"}}
    impossible = ReportFactory(kind="empty-sheet", game=None, **asked)
    for _ in range(MOST_ATTEMPTS):
        build_report(impossible.pk)
        states.append(state(impossible))
    assert states == ["waiting", "waiting", "failed"]
    assert impossible.error == "KeyError: 'whist'"
    build_report(impossible.pk)
    assert (state(impossible), impossible.attempts) == ("failed", MOST_ATTEMPTS)

    impossible.parameters = {"ruleset": "rifki"}
    impossible.save(update_fields=["parameters"])
    with django_capture_on_commit_callbacks(execute=True):
        reporting.try_again(impossible, EVENING)
    assert woken(timeout=PATIENCE) == [impossible.pk]
    build_report(impossible.pk)
    assert (state(impossible), impossible.error) == ("done", "")


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


# Documents of events: those that read the same are built once.


def test_same_question_that_waits_is_one_report_and_one_that_is_read_is_not(event):
    first = order(event)
    assert order(event) == first
    others = [
        order(event, language="it"),
        order(event, parameters={"round": 2}),
        order(event, format=Report.Format.XLSX),
        order(event, paper="us-letter"),
        order(event, audience=Report.Audience.DIRECTORS),
    ]
    # What is being read may have changed meanwhile.
    claim(first)
    assert len({first, *others, order(event)}) == 7


def test_same_content_is_built_once(event, written):
    first, second = order(event), order(event, language="tr", audience=Report.Audience.DIRECTORS)
    builder, other = claim(first), claim(second)
    assert reporting.hold_content(builder, KEY, EVENING)
    assert not reporting.hold_content(other, KEY, EVENING)
    assert state(second) == "building"
    reporting.finish_report(builder, written(), EVENING)
    assert (state(first), state(second)) == ("done", "done")
    assert first.file.name == second.file.name

    third = order(event)
    assert not reporting.hold_content(claim(third), KEY, EVENING)
    assert state(third) == "done"
    assert third.file.name == first.file.name


@pytest.mark.parametrize("how", ["failed", "cancelled", "killed"])
def test_who_waits_for_the_same_content_builds_it_when_the_other_does_not(event, written, how):
    first, second = order(event), order(event, audience=Report.Audience.DIRECTORS)
    builder, other = claim(first), claim(second)
    reporting.hold_content(builder, KEY, EVENING)
    reporting.hold_content(other, KEY, EVENING)
    if how == "failed":
        builder.attempts = 3
        reporting.retry_report(builder, ValueError("no ink"), EVENING)
    elif how == "cancelled":
        reporting.cancel_report(first, EVENING)
    other = claim(second, LATE)
    assert reporting.hold_content(other, KEY, LATE)
    reporting.finish_report(other, written(), LATE)
    assert state(second) == "done"


def test_file_lost_with_its_folder_is_built_again(event, written):
    first = order(event)
    builder = claim(first)
    reporting.hold_content(builder, KEY, EVENING)
    reporting.finish_report(builder, written(), EVENING)
    first.refresh_from_db()
    first.file.storage.delete(first.file.name)
    assert reporting.hold_content(claim(order(event)), KEY, EVENING)


@pytest.mark.parametrize(
    "undo",
    [
        lambda report: reporting.cancel_report(report, EVENING),
        lambda report: report.delete(),
        lambda report: reporting.claim_report(report.pk, LATE),
        lambda report: reporting.remake_documents(report.club, EVENING),
    ],
    ids=["cancelled", "deleted", "taken over", "a name removed"],
)
def test_builder_stops_at_the_next_step_when_it_is_no_longer_wanted(event, written, undo):
    report = order(event)
    builder = claim(report)
    undo(Report.objects.get(pk=report.pk))
    with pytest.raises(reporting.NotOurs):
        reporting.BuildProgress(builder)(Report.Step.SETTING)
    with pytest.raises(reporting.NotOurs):
        reporting.hold_content(builder, KEY, EVENING)
    reporting.finish_report(builder, written(), EVENING)
    assert not Report.objects.filter(state="done").exists()


def test_removed_name_takes_what_was_built_along(
    event, written, django_capture_on_commit_callbacks
):
    done, waiting, elsewhere = order(event), order(event, language="it"), order(EventFactory())
    for number, report in enumerate((done, elsewhere)):
        builder = claim(report)
        reporting.hold_content(builder, str(number) * 64, EVENING)
        reporting.finish_report(builder, written(), EVENING)
    with django_capture_on_commit_callbacks(execute=True):
        reporting.remake_documents(event.club, EVENING)
    assert set(Report.objects.values_list("pk", "state")) == {
        (waiting.pk, "waiting"),
        (elsewhere.pk, "done"),
    }
    elsewhere.refresh_from_db()
    storage = elsewhere.file.storage
    assert [f"reports/{name}" for name in storage.listdir("reports")[1]] == [elsewhere.file.name]


def test_file_without_a_report_is_cleared_away_after_a_while(event, written):
    report = order(event)
    builder = claim(report)
    reporting.hold_content(builder, KEY, EVENING)
    reporting.finish_report(builder, written(), EVENING)
    report.refresh_from_db()
    storage = report.file.storage
    for name in ("old", "new"):
        storage.save(f"reports/{name}.pdf", ContentFile(b"%PDF"))
    long_ago = (timezone.now() - timedelta(hours=2)).timestamp()
    for name in ("reports/old.pdf", report.file.name):
        os.utime(storage.path(name), (long_ago, long_ago))
    Report.objects.update(expires_at=timezone.now() + timedelta(days=1))
    reporting.expire_reports(timezone.now())
    left = {f"reports/{name}" for name in storage.listdir("reports")[1]}
    assert left == {report.file.name, "reports/new.pdf"}


def test_report_is_read_by_who_may_see_what_it_tells_of():
    club = ClubFactory()
    event = EventFactory(club=club, published=False)
    people = {
        "member": MemberFactory(club=club, role=Role.MEMBER).user,
        "director": MemberFactory(club=club, role=Role.DIRECTOR).user,
        "stranger": MemberFactory(role=Role.OWNER).user,
        "nobody": AnonymousUser(),
    }
    of_event = {"game": None, "club": club, "event": event}
    reports = {
        audience: ReportFactory(kind="standings", audience=audience, **of_event)
        for audience in ("visitors", "members", "directors")
    }
    reports["address"] = ReportFactory()

    def read():
        return {
            name: {
                audience
                for audience, report in reports.items()
                if Report.objects.readable_by(user).filter(pk=report.pk).exists()
            }
            for name, user in people.items()
        }

    assert read() == {
        "member": {"address", "visitors", "members"},
        "director": {"address", "visitors", "members", "directors"},
        "stranger": {"address"},
        "nobody": {"address"},
    }
    event.published = True
    event.save()
    assert read()["nobody"] == {"address", "visitors"}
