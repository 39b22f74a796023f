import base64
import errno
import hashlib
import json
import re
from io import BytesIO
from urllib.parse import urlencode

import psycopg
import pytest
from django.db.utils import OperationalError, ProgrammingError
from django.http import Http404, HttpResponse
from django.template import Context, Template
from django.test import Client
from django.urls import path, reverse
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from kingscore import urls
from kingscore.observing.health import Outage, outage_of
from tests.club_factories import AccountFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, UserFactory
from tests.phones import deal_fields, new_key
from tests.servers import ROOT
from tournaments.models import Game, IdempotencyRecord, Revision
from tournaments.web.base.phone import address

# Paths of the machine, parts of a traceback, names of the framework.
INSIDE = re.compile(
    rf"{re.escape(str(ROOT))}|site-packages|Traceback|Exception|django|sqlite|\.py\b", re.IGNORECASE
)


@pytest.fixture
def client(client, settings):
    settings.DEBUG = False
    settings.ALLOWED_HOSTS = ["testserver"]
    return client


def assert_ours(answer, status, heading):
    text = answer.content.decode()
    assert answer.status_code == status
    assert re.search(r"<h1>(.*?)</h1>", text)[1] == heading
    assert "kingscore.css" in text
    told = re.sub(r'name="csrfmiddlewaretoken" value="\w+"|<[^>]*>', " ", text)
    assert INSIDE.findall(told) == []


REFUSED = {
    "unknown host": (
        lambda client: client.get("/", headers={"host": "evil.example.org"}),
        (400, "That was not understood"),
    ),
    "too many fields": (
        lambda client: client.post(reverse("new"), {f"name{n}": "" for n in range(2001)}),
        (400, "That was not understood"),
    ),
    "back office": (
        lambda client: (
            client.force_login(UserFactory(is_staff=False))
            or client.get(reverse("admin:index"), follow=True)
        ),
        (403, "You can’t open this page"),
    ),
    "no token": (
        lambda _client: Client(enforce_csrf_checks=True).post(reverse("new")),
        (403, "This page was open for too long"),
    ),
    "unknown address": (
        lambda client: client.get("/evil/<script>/at-all/"),
        (404, "There is nothing at this address"),
    ),
}


@pytest.mark.parametrize(("ask", "told"), REFUSED.values(), ids=REFUSED)
def test_refusal_is_a_page_of_ours_that_repeats_nothing(client, ask, told):
    answer = ask(client)

    assert_ours(answer, *told)
    assert "evil" not in answer.text


def test_request_is_never_echoed(client):
    for page in ("/", "/rules/", "/accounts/login/", "/api/v1/rulesets/"):
        answer = client.trace(page, headers={"x-secret": "of-the-request"})

        assert answer.status_code == 405
        assert "of-the-request" not in answer.text


def test_large_body_is_refused_before_it_is_read(client, settings):
    body = BytesIO(b"x" * (settings.LARGEST_BODY + 1))

    answer = client.generic(
        "POST",
        reverse("import_rules"),
        content_type="application/octet-stream",
        CONTENT_LENGTH=str(settings.LARGEST_BODY + 1),
        **{"wsgi.input": body},
    )

    assert_ours(answer, 413, "That is too large")
    assert "2 MB" in answer.text
    assert body.tell() == 0


def test_body_at_the_limit_is_read(client, settings):
    body = b"x" * settings.LARGEST_BODY

    answer = client.generic("POST", reverse("new"), body, content_type="text/plain")

    assert answer.status_code == 422


def test_body_of_no_announced_length_is_not_read(client, settings):
    body = BytesIO(b"name0=Ay&" * settings.LARGEST_BODY)

    answer = client.generic(
        "POST",
        reverse("new"),
        content_type="application/x-www-form-urlencoded",
        CONTENT_LENGTH="",
        **{"wsgi.input": body},
    )

    assert (answer.status_code, body.tell()) == (422, 0)


def test_length_that_is_no_length_breaks_nothing(client):
    for length, status in (*((no, 422) for no in ("", "-5", "1e9", "²")), ("9" * 5000, 413)):
        answer = client.generic("POST", reverse("new"), b"", CONTENT_LENGTH=length)
        assert answer.status_code == status


def test_too_many_tries_are_refused(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "signup": "1/m/ip"}
    client.post(reverse("account_signup"))

    answer = client.post(reverse("account_signup"))

    assert_ours(answer, 429, "That was tried too often")


@pytest.mark.django_db(databases=[])
@pytest.mark.parametrize(
    ("language", "heading"),
    [("tr", "Burada bir sorun oluştu"), ("en", "Something went wrong here")],
)
def test_lost_database_is_owned_up_to_without_it(client, language, heading):
    # This test may not touch the database: looking up who is signed in fails, and so would
    # an error page that did.
    client.raise_request_exception = False
    client.cookies["sessionid"] = "a" * 32

    answer = client.get("/", headers={"accept-language": language})

    assert_ours(answer, 500, heading)
    assert answer["X-Request-ID"] in answer.text


class MissingSerializer(serializers.Serializer):
    result = serializers.SerializerMethodField()

    def get_result(self, _instance):
        return Game.objects.get(pk=0).result


class MissingInApi(APIView):
    authentication_classes = ()

    def get(self, request, where):
        if where == "view":
            Game.objects.get(pk=0)
        return Response(MissingSerializer(object()).data)

    post = get


def missing(request, where):
    if where == "template":
        rows = (Game.objects.get(pk=each) for each in [0])
        page = Template("{% for each in rows %}{{ each }}{% endfor %}").render(Context(locals()))
        return HttpResponse(page)
    if where == "deleted" and hasattr(request, "asked"):
        raise Http404
    request.asked = True
    return HttpResponse(Game.objects.get(pk=0).result)


urlpatterns = [
    path("missing/<where>/", missing),
    path("api/missing/<where>/", MissingInApi.as_view()),
    *urls.urlpatterns,
]
handler500 = urls.handler500


@pytest.mark.parametrize(
    ("method_and_address", "status"),
    [
        ("get /missing/deleted/", 404),
        ("get /missing/view/", 500),
        ("get /missing/template/", 500),
        ("post /missing/view/", 404),
        ("post /missing/template/", 500),
        ("get /api/missing/view/", 404),
        ("get /api/missing/serializer/", 500),
        ("post /api/missing/serializer/", 500),
    ],
)
def test_row_that_is_missing_is_a_404_only_where_the_view_looks_for_it(
    settings, client, caplog, method_and_address, status
):
    settings.ROOT_URLCONF = __name__
    client.raise_request_exception = False
    method, address = method_and_address.split()

    answer = getattr(client, method)(address)

    assert answer.status_code == status
    logged = [each for each in caplog.records if each.exc_info and each.levelname == "ERROR"]
    assert bool(logged) == (status == 500)


pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"


def digest_of(body, algorithm="sha256"):
    return base64.b64encode(hashlib.new(algorithm, body).digest()).decode()


def sent_with_the_body_of_another(client, path, body, other, method="POST", **more):
    """Send a body with the digest of another; then its own, which the server takes."""

    def send(content):
        headers = {"content-digest": f"sha-256=:{digest_of(body)}:", **more.get("headers", {})}
        return client.generic(method, path, content, **{**more, "headers": headers})

    before = (Game.objects.count(), Revision.objects.count(), IdempotencyRecord.objects.count())
    refused = send(other)
    assert (refused.status_code, refused.json()["code"]) == (400, "digest-mismatch")
    assert refused["Want-Content-Digest"] == "sha-256=10"
    after = (Game.objects.count(), Revision.objects.count(), IdempotencyRecord.objects.count())
    assert after == before
    return send(body)


@pytest.fixture
def started():
    return {"ruleset": "turkish-king", "players": list(NAMES)}


def test_game_of_another_is_not_started_and_uses_up_no_key(client, started):
    mine, other = (json.dumps(started | {"title": title}).encode() for title in ("one", "two"))
    key = {"idempotency-key": new_key()}
    kind = "application/json"

    answer = sent_with_the_body_of_another(
        client, "/api/v1/games/", mine, other, content_type=kind, headers=key
    )

    assert (answer.status_code, answer.json()["title"]) == (201, "one")


@pytest.mark.parametrize(("method", "status"), [("POST", 201), ("PUT", 200)])
def test_deal_of_another_table_is_not_written_by_programs(client, started, method, status):
    game = client.post("/api/v1/games/", started, content_type="application/json").json()
    access = {"authorization": f"Bearer {game['keys']['write']}"}
    path, kind = f"/api/v1/games/{game['id']}/entries/", "application/json"
    mine, other = (json.dumps({"entry": deal}).encode() for deal in WHOLE_GAME[:2])
    if method == "PUT":
        client.post(path, json.loads(other), content_type=kind, headers=access)
        path, access = f"{path}0/", access | {"if-match": '"1"'}

    answer = sent_with_the_body_of_another(
        client, path, mine, other, method, content_type=kind, headers=access
    )

    assert answer.status_code == status
    latest = Revision.objects.latest("revision")
    assert (latest.body.get("entry") or latest.body)["contract"] == WHOLE_GAME[0]["contract"]


def test_deal_of_another_table_is_not_written_by_phones():
    client = Client(enforce_csrf_checks=True)
    client.get(reverse("new"))
    token = {"x-csrftoken": client.cookies["csrftoken"].value, "hx-request": "true"}
    names = {f"name{seat}": name for seat, name in enumerate(NAMES)}
    mine, other = (
        urlencode({**names, "ruleset": ruleset, "first_declarer": 0, "key": new_key()}).encode()
        for ruleset in ("turkish-king", "rifki")
    )
    new = sent_with_the_body_of_another(
        client, reverse("new"), mine, other, content_type=FORM, headers=token
    )
    deals = [urlencode(deal_fields(deal, 0, new_key())).encode() for deal in WHOLE_GAME[:2]]

    answer = sent_with_the_body_of_another(
        client, f"{new['Location']}entry/", *deals, content_type=FORM, headers=token
    )

    assert answer.status_code == 200
    assert Game.objects.get().ruleset == "turkish-king"
    assert Revision.objects.get().body["contract"] == WHOLE_GAME[0]["contract"]


HEADERS = (
    ("sha-256=:{sha256}:", True),
    ("sha-512=:{sha512}:, sha-256=:{sha256}:", True),
    (" sha-256=:{sha256}:;a=1 ,unixsum=:AAA=:", True),
    ("sha-256=:{other}:, sha-256=:{sha256}:", True),
    # What is not known says nothing.
    ("sha-512=:{other}:", True),
    ("crc32c=:AAAAAA==:", True),
    ("", True),
    ("sha-256=:{other}:", False),
    ("SHA-256=:{other}:", False),
    ("sha-512=:{sha512}:,sha-256=:{other}:", False),
    ("sha-256=:{sha256}:, sha-256=:{other}:", False),
    ("sha-256={sha256}", False),
    ('sha-256="{sha256}"', False),
    ("sha-256=:ÿ:", False),
    ("sha-256=::", False),
    ("sha-256", False),
)


@pytest.mark.parametrize(
    "body", [b'{"ruleset": "turkish-king", "players": ["A","B","C","D"]}', b""]
)
def test_digest_is_read_as_its_standard_says(client, body):
    digests = {"sha256": digest_of(body), "sha512": digest_of(body, "sha512")}
    digests["other"] = digest_of(b"of another")
    answered = {}
    for header, _is_taken in HEADERS:
        headers = {"content-digest": header.format(**digests)}
        answered[header] = client.generic(
            "POST", "/api/v1/games/", body, content_type="application/json", headers=headers
        ).status_code

    taken = 201 if body else 422
    assert answered == {header: taken if is_taken else 400 for header, is_taken in HEADERS}


def test_form_with_a_file_is_compared_whole(client):
    boundary = b"--x\r\nContent-Disposition: form-data; name=text\r\n\r\n%s\r\n--x--\r\n"

    answer = sent_with_the_body_of_another(
        client,
        reverse("import_rules"),
        boundary % b"mine",
        boundary % b"hers",
        content_type="multipart/form-data; boundary=x",
    )

    assert answer.status_code in {302, 422}


ME = reverse("me")


@pytest.fixture
def phone(settings):
    settings.HTTPS = True
    return Client()


def test_every_cookie_has_a_prefix_and_comes_back(phone):
    game = GameFactory()
    path = address(game, "write")
    phone.post(reverse("preferences"), {"theme": "dark"}, secure=True)
    phone.post(reverse("set_language"), {"language": "tr"}, secure=True)
    phone.get(path, secure=True)
    turn = reverse("holder", args=[game.public_id, game.secret("write")])
    phone.post(turn, {"holder": "1"}, secure=True)
    phone.post(reverse("account_signup"), {"email": "ayse@ornek.org"}, secure=True)

    names = {name: cookie["path"] for name, cookie in phone.cookies.items()}
    assert names.pop("__Secure-holder") == path
    assert set(names.values()) == {"/"}
    assert all(name.startswith("__Host-") for name in names)
    assert set(names) >= {
        *("__Host-sessionid", "__Host-csrftoken", "__Host-django_language"),
        *("__Host-theme", "__Host-games"),
    }
    assert all(cookie["secure"] and not cookie["domain"] for cookie in phone.cookies.values())
    home = phone.get("/", secure=True)
    assert 'lang="tr" data-theme="dark"' in home.text
    assert address(game, "write") in home.text


def test_session_set_by_another_host_of_the_domain_is_not_taken(phone):
    owner = Client()
    owner.force_login(AccountFactory())
    session = owner.cookies["sessionid"].value
    phone.cookies["sessionid"] = session
    assert phone.get(ME, secure=True).status_code == 302

    phone.cookies["__Host-sessionid"] = session

    assert phone.get(ME, secure=True).status_code == 200


def test_games_that_a_phone_kept_before_are_still_there(phone):
    game = GameFactory()
    before = Client()
    before.get(address(game, "write"), secure=True)
    phone.cookies["games"] = before.cookies["__Host-games"].value

    assert address(game, "write") in phone.get("/", secure=True).text


def test_form_is_taken_with_the_token_of_its_cookie(phone):
    strict = Client(enforce_csrf_checks=True, headers={"referer": "https://testserver/"})
    strict.get(reverse("account_login"), secure=True)
    token = strict.cookies["__Host-csrftoken"].value

    refused = strict.post(reverse("preferences"), {"theme": "dark"}, secure=True)
    taken = strict.post(
        reverse("preferences"), {"theme": "dark"}, secure=True, headers={"x-csrftoken": token}
    )

    assert (refused.status_code, taken.status_code) == (403, 302)


def raised(error, cause=None):
    try:
        raise error from cause
    except Exception as arrived:  # noqa: BLE001
        return arrived


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (psycopg.errors.DiskFull("could not extend file"), Outage.FULL),
        (psycopg.errors.AdminShutdown(""), Outage.AWAY),
        (psycopg.errors.CannotConnectNow("the database system is starting up"), Outage.AWAY),
        (psycopg.errors.DeadlockDetected(""), Outage.AWAY),
        (psycopg.OperationalError("connection refused"), Outage.AWAY),
        (psycopg.errors.UndefinedTable(""), None),
        (psycopg.errors.UniqueViolation(""), None),
        (psycopg.DataError("PostgreSQL text fields cannot contain NUL"), None),
    ],
)
def test_outage_of_postgresql_is_told_from_a_fault_of_ours(cause, expected):
    assert outage_of(raised(OperationalError(), cause)) is expected


def test_outage_that_was_dealt_with_is_no_reason_of_a_later_fault():
    def break_later():
        try:
            raise OSError(errno.ENOSPC, "no room")
        except OSError:
            raise KeyError from None

    with pytest.raises(KeyError) as later:
        break_later()

    assert outage_of(later.value) is None


def test_file_that_finds_no_room_is_a_full_disk_and_other_faults_are_no_outage():
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        assert outage_of(raised(OSError(number, "no room"))) is Outage.FULL
    for error in (OSError(errno.ENOENT, "gone"), ValueError(), ProgrammingError(), None):
        assert outage_of(error) is None
