import os
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.utils import timezone

from tests.club_factories import ClubFactory, EventFactory, MemberFactory
from tests.factories import EVENING, ReportFactory
from tournaments.models import Report
from tournaments.models.clubs import Role
from tournaments.models.reports import GIVEN_UP_AFTER
from tournaments.services.documents.reporting import (
    BuildProgress,
    NotOurs,
    Order,
    cancel_report,
    claim_report,
    expire_reports,
    finish_report,
    hold_content,
    remake_documents,
    request_document,
    retry_report,
)

pytestmark = pytest.mark.django_db

KEY = "5" * 64
LATE = EVENING + GIVEN_UP_AFTER + timedelta(seconds=1)


@pytest.fixture
def event():
    return EventFactory()


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "document.pdf"
    path.write_text("%PDF")
    return path


def ask(event, **changes):
    order = {
        "kind": Report.Kind.SHEETS,
        "subject": event,
        "audience": Report.Audience.MEMBERS,
        "language": "tr",
        "parameters": {"round": 1},
    }
    return request_document(Order(**{**order, **changes}), EVENING)


def claim(report, at=EVENING):
    return claim_report(report.pk, at)


def state(report):
    report.refresh_from_db()
    return report.state


def test_same_question_that_waits_is_one_report(event):
    first = ask(event)
    assert ask(event) == first
    others = [
        ask(event, language="it"),
        ask(event, parameters={"round": 2}),
        ask(event, format=Report.Format.XLSX),
        ask(event, paper="us-letter"),
        ask(event, audience=Report.Audience.DIRECTORS),
    ]
    assert len({first, *others}) == 6


def test_what_is_being_read_may_have_changed_and_is_asked_for_anew(event):
    first = ask(event)
    claim(first)
    assert ask(event) != first


def test_same_content_is_built_once(event, written):
    first, second = ask(event), ask(event, language="tr", audience=Report.Audience.DIRECTORS)
    builder, other = claim(first), claim(second)
    assert hold_content(builder, KEY, EVENING)
    assert not hold_content(other, KEY, EVENING)
    assert state(second) == "building"
    finish_report(builder, written, EVENING)
    assert (state(first), state(second)) == ("done", "done")
    assert first.file.name == second.file.name

    third = ask(event)
    assert not hold_content(claim(third), KEY, EVENING)
    assert state(third) == "done"
    assert third.file.name == first.file.name


@pytest.mark.parametrize("how", ["failed", "cancelled", "killed"])
def test_who_waits_for_the_same_content_builds_it_when_the_other_does_not(event, written, how):
    first, second = ask(event), ask(event, audience=Report.Audience.DIRECTORS)
    builder, other = claim(first), claim(second)
    hold_content(builder, KEY, EVENING)
    hold_content(other, KEY, EVENING)
    if how == "failed":
        builder.attempts = 3
        retry_report(builder, ValueError("no ink"), EVENING)
    elif how == "cancelled":
        cancel_report(first, EVENING)
    other = claim(second, LATE)
    assert hold_content(other, KEY, LATE)
    finish_report(other, written, LATE)
    assert state(second) == "done"


def test_file_lost_with_its_folder_is_built_again(event, written):
    first = ask(event)
    builder = claim(first)
    hold_content(builder, KEY, EVENING)
    finish_report(builder, written, EVENING)
    first.refresh_from_db()
    first.file.storage.delete(first.file.name)
    assert hold_content(claim(ask(event)), KEY, EVENING)


@pytest.mark.parametrize(
    "undo",
    [
        lambda report: cancel_report(report, EVENING),
        lambda report: report.delete(),
        lambda report: claim_report(report.pk, LATE),
        lambda report: remake_documents(report.club, EVENING),
    ],
    ids=["cancelled", "deleted", "taken over", "a name removed"],
)
def test_builder_stops_at_the_next_step_when_it_is_no_longer_wanted(event, written, undo):
    report = ask(event)
    builder = claim(report)
    undo(Report.objects.get(pk=report.pk))
    with pytest.raises(NotOurs):
        BuildProgress(builder)(Report.Step.SETTING)
    with pytest.raises(NotOurs):
        hold_content(builder, KEY, EVENING)
    finish_report(builder, written, EVENING)
    assert not Report.objects.filter(state="done").exists()


def test_removed_name_takes_what_was_built_along(
    event, written, django_capture_on_commit_callbacks
):
    done, waiting, elsewhere = ask(event), ask(event, language="it"), ask(EventFactory())
    for number, report in enumerate((done, elsewhere)):
        builder = claim(report)
        hold_content(builder, str(number) * 64, EVENING)
        finish_report(builder, written, EVENING)
    with django_capture_on_commit_callbacks(execute=True):
        remake_documents(event.club, EVENING)
    assert set(Report.objects.values_list("pk", "state")) == {
        (waiting.pk, "waiting"),
        (elsewhere.pk, "done"),
    }
    elsewhere.refresh_from_db()
    storage = elsewhere.file.storage
    assert [f"reports/{name}" for name in storage.listdir("reports")[1]] == [elsewhere.file.name]


def test_file_without_a_report_is_cleared_away_after_a_while(event, written):
    report = ask(event)
    builder = claim(report)
    hold_content(builder, KEY, EVENING)
    finish_report(builder, written, EVENING)
    report.refresh_from_db()
    storage = report.file.storage
    for name in ("old", "new"):
        storage.save(f"reports/{name}.pdf", ContentFile(b"%PDF"))
    long_ago = (timezone.now() - timedelta(hours=2)).timestamp()
    for name in ("reports/old.pdf", report.file.name):
        os.utime(storage.path(name), (long_ago, long_ago))
    Report.objects.update(expires_at=timezone.now() + timedelta(days=1))
    expire_reports(timezone.now())
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
