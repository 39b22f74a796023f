import re
from io import BytesIO
from pathlib import Path

import pytest
from django.http import Http404, HttpResponse
from django.template import Context, Template
from django.test import Client
from django.urls import path, reverse
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from kingscore import urls
from tests.factories import UserFactory
from tournaments.models import Game

ROOT = Path(__file__).resolve().parents[2]
# Paths of the machine, parts of a traceback, names of the framework.
INSIDE = re.compile(
    rf"{re.escape(str(ROOT))}|site-packages|Traceback|Exception|django|sqlite|\.py\b",
    re.IGNORECASE,
)


@pytest.fixture(autouse=True)
def not_developing(settings):
    settings.DEBUG = False
    settings.ALLOWED_HOSTS = ["testserver"]


def assert_ours(answer, status, heading):
    text = answer.content.decode()
    assert answer.status_code == status
    assert re.search(r"<h1>(.*?)</h1>", text)[1] == heading
    assert "kingscore.css" in text
    told = re.sub(r'name="csrfmiddlewaretoken" value="\w+"|<[^>]*>', " ", text)
    assert INSIDE.findall(told) == []


@pytest.mark.django_db
def test_unknown_host_is_not_understood(client):
    answer = client.get("/", headers={"host": "evil.example.org"})

    assert_ours(answer, 400, "That was not understood")
    assert "evil" not in answer.text


@pytest.mark.django_db
def test_too_many_fields_are_not_understood(client):
    fields = {f"name{number}": "" for number in range(2001)}

    assert_ours(client.post(reverse("new"), fields), 400, "That was not understood")


@pytest.mark.django_db
def test_back_office_is_for_others(client):
    client.force_login(UserFactory(is_staff=False))

    answer = client.get(reverse("admin:index"), follow=True)

    assert_ours(answer, 403, "This is for others")


@pytest.mark.django_db
def test_form_without_its_token_is_refused():
    client = Client(enforce_csrf_checks=True)

    answer = client.post(reverse("new"))

    assert_ours(answer, 403, "This page was open for too long")


@pytest.mark.django_db
def test_nothing_is_at_an_unknown_address(client):
    answer = client.get("/nothing/<script>/at-all/")

    assert_ours(answer, 404, "There is nothing at this address")
    assert "at-all" not in answer.text


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/rules/", "/accounts/login/", "/api/v1/rulesets/"])
def test_request_is_never_echoed(client, path):
    answer = client.trace(path, headers={"x-secret": "of-the-request"})

    assert answer.status_code == 405
    assert "of-the-request" not in answer.text


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_body_at_the_limit_is_read(client, settings):
    body = b"x" * settings.LARGEST_BODY

    answer = client.generic("POST", reverse("new"), body, content_type="text/plain")

    assert answer.status_code == 422


@pytest.mark.django_db
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


@pytest.mark.django_db
@pytest.mark.parametrize("length", ["", "-5", "1e9", "²", "9" * 5000])
def test_length_that_is_no_length_breaks_nothing(client, length):
    answer = client.generic("POST", reverse("new"), b"", CONTENT_LENGTH=length)

    assert answer.status_code == (413 if length.startswith("9") else 422)


@pytest.mark.django_db
def test_too_many_tries_are_refused(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "signup": "1/m/ip"}
    client.post(reverse("account_signup"))

    answer = client.post(reverse("account_signup"))

    assert_ours(answer, 429, "That was tried too often")


@pytest.mark.parametrize(
    ("language", "heading"),
    [("tr", "Burada bir şeyler ters gitti"), ("en", "Something went wrong here")],
)
def test_lost_database_is_owned_up_to_without_it(client, language, heading):
    # This test may not touch the database: looking up who is signed in fails, and so would
    # an error page that did.
    client.raise_request_exception = False
    client.cookies["sessionid"] = "a" * 32

    answer = client.get("/", headers={"accept-language": language})

    assert_ours(answer, 500, heading)


class MissingSerializer(serializers.Serializer):
    """Has a field that looks for a row that there is not."""

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


@pytest.mark.django_db
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
