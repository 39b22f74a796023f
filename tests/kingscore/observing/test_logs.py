import io
import json
import logging
from datetime import datetime
from io import StringIO

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import IntegrityError, connection, transaction
from django.http import HttpResponse
from django.urls import path, reverse

from kingscore.observing.logs import DiscreetFormatter, JsonFormatter
from tests.club_factories import ClubFactory, PlayerFactory
from tests.deals import deal
from tests.factories import GameFactory
from tests.phones import deal_fields, new_key
from tournaments.api.access import token_of
from tournaments.models import Player, fields
from tournaments.web.base.phone import address

NAME = "Ayşe Öztürk"
MAIL = "ayse@kulup.example"
TOKEN = "ks_0f1e2d3c4b5a69788796a5b4c3d2e1f0"
SECRET = fields.derive("play", "k7f3q", 1)


def duplicate(request, name):
    club = ClubFactory()
    for _twice in range(2):
        PlayerFactory(club=club, name=NAME)
    return HttpResponse()


def misread(request, name):
    try:
        return int(NAME)
    except ValueError as error:
        raise RuntimeError(f"{MAIL} sent {TOKEN} to /play/k7f3q/{SECRET}/") from error


def tell(request, name):
    logging.getLogger("tournaments").warning(
        "no page at /play/k7f3q/%s/ for %s with Bearer %s: %s",
        *(SECRET, MAIL, TOKEN, ValueError(NAME)),
    )
    return HttpResponse()


urlpatterns = [
    path("duplicate/<name>/", duplicate, name="duplicate"),
    path("misread/<name>/", misread, name="misread"),
    path("tell/<name>/", tell, name="tell"),
]


@pytest.fixture
def log(settings, client, request):
    settings.ROOT_URLCONF = __name__
    settings.ALLOWED_HOSTS = ["*"]
    client.raise_request_exception = False
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(request.param())
    requests = logging.getLogger("kingscore.observing.requests")
    logging.getLogger().addHandler(handler)
    requests.setLevel(logging.INFO)
    yield written
    logging.getLogger().removeHandler(handler)
    requests.setLevel(logging.WARNING)


both = pytest.mark.parametrize("log", [DiscreetFormatter, JsonFormatter], indirect=True)
as_json = pytest.mark.parametrize("log", [JsonFormatter], indirect=True)


def is_discreet(said):
    return not any(part in said for part in (NAME, "Ayşe", MAIL, TOKEN, SECRET, "yilmaz"))


@both
@pytest.mark.parametrize("page", ["duplicate", "misread", "tell"])
@pytest.mark.django_db
def test_faults_are_told_without_names_addresses_and_tokens(log, client, page):
    with transaction.atomic():
        client.get(f"/{page}/yilmaz/?q=yilmaz", headers={"Authorization": f"Bearer {TOKEN}"})
        transaction.set_rollback(True)

    assert page in log.getvalue()
    assert is_discreet(log.getvalue()), log.getvalue()


@as_json
@pytest.mark.django_db
def test_a_fault_tells_where_it_was_and_its_kind(log, client):
    with transaction.atomic():
        answer = client.get("/duplicate/yilmaz/", headers={"X-Request-ID": "of-the-proxy-1"})
        transaction.set_rollback(True)

    fault, request = [json.loads(line) for line in log.getvalue().splitlines()]
    assert answer["X-Request-ID"] == "of-the-proxy-1"
    assert {fault["request_id"], request["request_id"]} == {"of-the-proxy-1"}
    assert fault["message"] == "Internal Server Error: duplicate"
    assert "test_logs.py" in fault["traceback"]
    assert "IntegrityError" in fault["traceback"].splitlines()[-1]
    assert "player" in fault["traceback"].splitlines()[-1]
    assert {name: request[name] for name in ("route", "method", "status")} == {
        "route": "duplicate",
        "method": "GET",
        "status": 500,
    }
    assert request["ms"] > 0


def test_an_id_that_is_none_is_not_taken_over(client):
    for sent in ("", "short", "x" * 65, "two\nlines-of-it", "ş" * 10):
        said = client.get("/nothing", headers={"X-Request-ID": sent})["X-Request-ID"]

        assert said != sent
        assert len(said) == 32


def test_what_postgresql_tells_of_a_row_is_left_out():
    fault = IntegrityError(
        'duplicate key value violates unique constraint "player_name"\n'
        f"DETAIL:  Key (name)=({NAME}\nwith a second line) already exists."
    )
    record = logging.LogRecord(
        "celery.app.trace",
        logging.ERROR,
        "trace.py",
        1,
        "Task %(name)s raised unexpected: %(exc)s",
        ({"name": "build", "exc": repr(fault)},),
        (IntegrityError, fault, None),
    )

    for formatter in (DiscreetFormatter(), JsonFormatter()):
        line = formatter.format(record)
        assert 'constraint "player_name' in line.replace("\\", "")
        assert NAME not in line
        assert "second line" not in line


def test_lines_for_people_say_of_which_zone_their_time_is():
    record = logging.LogRecord("root", logging.WARNING, "x.py", 1, "words", (), None)
    written = datetime.strptime(DiscreetFormatter().format(record)[:24], "%Y-%m-%d %H:%M:%S%z")
    assert abs(written.timestamp() - record.created) < 1


@pytest.mark.parametrize("formatter", [DiscreetFormatter(), JsonFormatter()])
def test_what_somebody_sent_begins_no_line_of_its_own(formatter):
    sent = "king\r\n2026-11-23 20:00:00+0300 INFO root: all is well\x1b[2J"
    record = logging.LogRecord("root", logging.WARNING, "x.py", 1, "Refused: %s", (sent,), None)

    line = formatter.format(record)

    assert len(line.splitlines()) == 1
    assert line.isprintable()
    assert "all is well" in line


@as_json
@pytest.mark.django_db
def test_a_slow_statement_is_told_with_placeholders(log, client, settings):
    # Every statement is.
    settings.SLOW_QUERY_MS = 0.000001
    from kingscore.observing.logs import watch_connection

    watch_connection(connection)
    try:
        list(Player.objects.filter(name=NAME))
    finally:
        connection.execute_wrappers.clear()

    (line,) = [json.loads(line) for line in log.getvalue().splitlines()]
    assert line["logger"] == "kingscore.observing.slow_queries"
    assert '"name" = %s' in line["sql"]
    assert line["route"] == "none"
    assert is_discreet(log.getvalue())


@pytest.fixture
def terminal():
    handlers = logging.getLogger("kingscore.mail").handlers
    (handler,) = [handler for handler in handlers if type(handler) is logging.StreamHandler]
    before = handler.setStream(StringIO())
    yield handler.stream
    handler.setStream(before)


def test_mail_is_written_with_its_code_and_links(terminal):
    secret = fields.derive("claim", "k7f3q", 1)
    letter = EmailMessage(
        "Your code", f"0123-4567\nhttp://king/claim/k7f3q/{secret}/", to=["a@b.c"]
    )
    backend = mail.get_connection("kingscore.mail.LogBackend")

    assert backend.send_messages([letter]) == 1

    said = terminal.getvalue()
    assert "Mail to a@b.c: Your code" in said
    assert "\n0123-4567\n" in said
    assert f"http://king/claim/k7f3q/{secret}/\n" in said


def test_what_a_mail_carries_is_named_where_no_mail_server_takes_it(terminal):
    letter = EmailMessage("Moda: Ekim 2026", "Ekte.", to=["a@b.c"])
    letter.attach("moda-2026-10.pdf", b"%PDF")

    assert mail.get_connection("kingscore.mail.LogBackend").send_messages([letter]) == 1

    said = terminal.getvalue()
    assert "Attached, were there a mail server (KINGSCORE_EMAIL_URL): moda-2026-10.pdf" in said


def write_wrong_total(client, game):
    fields = deal_fields(deal("no-tricks", 4, 2, 6, 2), 0, new_key())
    return client.post(f"{address(game, 'write')}entry/", fields)


def send_wrong_total(client, game):
    entry = {"entry": deal("no-tricks", 4, 2, 6, 2)}
    headers = {"Authorization": f"Bearer {token_of(game, 'write')}"}
    headers |= {"Idempotency-Key": new_key(), "If-Match": '"0"'}
    path = f"/api/v1/games/{game.public_id}/entries/"
    return client.post(path, entry, "application/json", headers=headers)


def sign_up_without_mail(client, _game):
    return client.post(reverse("account_signup"), {"email": NAME})


@pytest.mark.parametrize(
    ("write", "route", "codes"),
    [
        (write_wrong_total, "record", ["wrong-total"]),
        (send_wrong_total, "api:entry-list", ["wrong-total"]),
        (sign_up_without_mail, "account_signup", ["email:invalid"]),
    ],
)
@pytest.mark.django_db
def test_line_of_a_refused_write_holds_the_codes_of_its_problems(
    client, caplog, write, route, codes
):
    answer = write(client, GameFactory())

    (record,) = (r for r in caplog.records if r.name == "kingscore.observing.requests")
    assert record.levelname == "WARNING"
    assert json.loads(JsonFormatter().format(record))["codes"] == codes
    said = DiscreetFormatter().format(record)
    assert f"POST {route}: {answer.status_code} after" in said
    assert said.endswith(f": {', '.join(codes)}")
    assert is_discreet(said)


@pytest.mark.django_db
def test_line_of_a_write_that_was_taken_is_quiet(client, caplog):
    game = GameFactory()
    fields = deal_fields(deal("no-tricks", 4, 2, 6, 1), 0, new_key())

    assert client.post(f"{address(game, 'write')}entry/", fields).status_code == 302

    assert "kingscore.observing.requests" not in {record.name for record in caplog.records}
