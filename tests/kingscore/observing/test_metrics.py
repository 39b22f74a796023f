import json
import os
import re
import shutil
import signal
import time
from contextlib import closing
from datetime import timedelta
from http.client import HTTPConnection

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from kingscore.observing import metrics
from tests.check_factories import DifferenceFactory, EmailFactory
from tests.deals import deal
from tests.factories import ContextFactory, GameFactory
from tests.servers import ROOT, Server, prepared
from tests.waiting import PATIENCE
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Backup, fields
from tournaments.services.games import playing, writing

TOKEN = "of-prometheus-0123456789"


def test_without_the_token_there_is_nothing(client, settings):
    for token, *sent in (("", None, "Bearer "), (TOKEN, None, "Bearer wrong", TOKEN, "Bearer ş")):
        settings.METRICS_TOKEN = token
        for said in sent:
            answer = client.get("/metrics", headers={"Authorization": said} if said else {})
            assert (answer.status_code, answer.content) == (404, b"")


def samples(text):
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def told(client, settings):
    settings.METRICS_TOKEN = TOKEN

    def ask():
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return samples(client.get("/metrics", headers=headers).text)

    return ask


@pytest.mark.django_db
def test_what_waits_and_problems_that_are_open_are_told(told):
    now = told()
    assert now["kingscore_database_up",] == 1
    assert now["kingscore_queue_length", ("queue", "letters")] == 0
    assert now["kingscore_queue_oldest_seconds", ("queue", "documents")] == 0
    assert now["kingscore_workers",] == 0
    assert ("kingscore_backup_age_seconds",) not in now
    hour_ago = timezone.now() - timedelta(hours=1)
    Backup.objects.create(began_at=hour_ago, ended_at=hour_ago, rows=1, size=1)
    EmailFactory(tries=2, written_at=hour_ago)
    EmailFactory(written_at=hour_ago)
    DifferenceFactory()

    now = told()

    assert now["kingscore_backup_age_seconds",] == pytest.approx(3600, abs=600)
    assert now["kingscore_mails_failing",] == 1
    assert now["kingscore_check_differences",] == 1
    assert now["kingscore_disk_free_bytes",] > 0


@pytest.mark.django_db
def test_age_of_the_copy_is_told_where_there_is_to_be_one(settings, tmp_path, told):
    assert ("kingscore_copy_age_seconds",) not in told()
    settings.COPY_TO, settings.COPIED_AT = "/disk", tmp_path / "copied-at"
    assert told()["kingscore_copy_age_seconds",] > 1e9
    settings.COPIED_AT.touch()
    assert told()["kingscore_copy_age_seconds",] < 600


@pytest.mark.django_db
@pytest.mark.parametrize("file", ["prometheus-alerts.yaml", "grafana-dashboard.json"])
def test_alerts_and_dashboard_ask_for_metrics_that_there_are(client, settings, file):
    settings.METRICS_TOKEN, settings.COPY_TO = TOKEN, "/disk"
    Backup.objects.create(began_at=timezone.now(), ended_at=timezone.now(), rows=1, size=1)
    metrics.REQUESTS.labels("home", "GET", "200").inc()
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    there = {family.name for family in text_string_to_metric_families(answer)}

    asked = set(re.findall(r"kingscore_\w+", (ROOT / "deploy" / file).read_text()))

    assert len(asked) >= 9
    assert {re.sub("_(total|bucket)$", "", name) for name in asked} <= there


@pytest.mark.django_db
def test_writes_are_counted_once_and_refusals_by_their_code(told):
    entered = ("kingscore_writes_total", ("kind", "entry"), ("ruleset", "turkish-king"))
    before = told()
    game = GameFactory()
    context = ContextFactory()
    for _sent_again in range(2):
        playing.record_entry(game.pk, parse_entry(deal("no-tricks", 4, 2, 6, 1)), context)
    with pytest.raises(writing.StaleRevision):
        playing.record_entry(game.pk, parse_entry(deal("last-two", 0, 0, 2, 0)), ContextFactory())
    with pytest.raises(InvalidEntry):
        playing.record_entry(
            game.pk, parse_entry(deal("last-two", 0, 0, 1, 0)), ContextFactory(revision=1)
        )

    more = {key: value - before.get(key, 0) for key, value in told().items()}

    assert more[entered] == 1
    refused = {key[1][1]: count for key, count in more.items() if "refusals_total" in key[0]}
    assert {code for code, count in refused.items() if count} == {"stale-revision", "wrong-total"}


@pytest.mark.django_db
def test_rules_of_clubs_are_counted_as_one(told):
    from tournaments.services.games.writing import count_write

    before = told().get(("kingscore_writes_total", ("kind", "entry"), ("ruleset", "house")), 0)

    for name in ("our-own-king", "their-own-king"):
        count_write(name, "entry")

    after = told()
    assert after["kingscore_writes_total", ("kind", "entry"), ("ruleset", "house")] == before + 2
    assert not any("own-king" in str(key) for key in after)


class Watched(Server):
    """A server of two processes that counts, and writes its log for programs."""

    @property
    def environment(self):
        said = {"KINGSCORE_METRICS_TOKEN": TOKEN, "KINGSCORE_LOG_FORMAT": "json"}
        return {**super().environment, **said}

    def ask(self, path, method="GET", **headers):
        with closing(HTTPConnection(self.host, self.port, timeout=PATIENCE)) as visitor:
            visitor.request(method, path, headers=headers)
            answer = visitor.getresponse()
            return answer.status, answer.read().decode()

    @property
    def told(self):
        return samples(self.ask("/metrics", Authorization=f"Bearer {TOKEN}")[1])

    @property
    def lines(self):
        # The first process of the web server, which sees no request, writes lines of its own.
        written = [line for line in self.said.splitlines() if line.startswith("{")]
        lines = [json.loads(line) for line in written]
        return [line for line in lines if line["logger"] == "kingscore.observing.requests"]

    def processes(self):
        return {path.stem.rpartition("-")[2] for path in (self.folder / "metrics").iterdir()}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    shutil.copytree(prepared(), folder, dirs_exist_ok=True)
    with closing(Watched(folder)) as server:
        server.start()
        yield server


def missing(told):
    key = ("kingscore_requests_total", ("method", "GET"), ("route", "follow"), ("status", "404"))
    return told.get(key, 0)


@pytest.mark.slow
def test_counts_of_all_processes_are_one_and_outlive_a_process(server):
    secret = fields.derive("follow", "k7f3q", 1)
    before = missing(server.told)
    for _each in range(12):
        assert server.ask(f"/follow/k7f3q/{secret}/")[0] == 404
    assert missing(server.told) == before + 12

    first = server.processes()
    assert len(first) == 2
    os.kill(int(min(first)), signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while len(server.processes()) < 3:
        assert time.monotonic() < deadline
        server.ask("/healthz")
        time.sleep(0.1)

    assert missing(server.told) == before + 12
    assert secret not in server.said


@pytest.mark.slow
def test_a_line_tells_the_route_and_no_address(server):
    before = len(server.lines)
    id_ = "asked-by-the-proxy"
    server.ask("/rules/turkish-king/?name=yilmaz", **{"X-Request-ID": id_})

    (line,) = server.lines[before:]
    assert line.pop("ms") > 0
    assert line.pop("time")
    assert line == {
        "level": "INFO",
        "logger": "kingscore.observing.requests",
        "message": line["message"],
        "request_id": id_,
        "route": "rules_of_game",
        "method": "GET",
        "status": 200,
    }
    assert line["message"].startswith("GET rules_of_game: 200 after ")


@pytest.mark.slow
def test_probes_are_not_counted_and_no_method_is_a_label(server):
    before = server.told
    server.ask("/healthz")
    server.ask("/", method="PROPFIND")

    more = {key for key, value in server.told.items() if before.get(key) != value}

    counted = {dict(key[1:])["method"] for key in more if key[0] == "kingscore_requests_total"}
    assert counted == {"other"}


def test_files_of_a_server_that_is_gone_are_removed(tmp_path):
    machine = "club"
    gone = [tmp_path / f"counter_{machine}-999999999-{number}.db" for number in range(2)]
    stay = [
        tmp_path / f"counter_{machine}-{os.getpid()}-1.db",
        tmp_path / "histogram_another-machine-999999999-1.db",
    ]
    for path in (*gone, *stay):
        path.touch()

    metrics.forget_dead(tmp_path, machine)

    assert sorted(tmp_path.iterdir()) == sorted(stay)
