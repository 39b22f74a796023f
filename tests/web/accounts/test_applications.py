import re
from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from tests.program_factories import ApplicationFactory, TokenFactory
from tests.web.accounts.signing_in import AYSE, PASSWORD, SIGN_IN
from tournaments.models import PersonalToken, Scope, User
from tournaments.services.accounts import MOST_APPLICATIONS, MOST_TOKENS, revoke_all
from tournaments.web.accounts.views import may

TOKENS, NEW = reverse("tokens"), reverse("new_application")
AUTHORIZE, TOKEN, REVOKE = "/oauth/authorize/", "/oauth/token/", "/oauth/revoke/"
BACK = "https://federation.example/back"
VERIFIER = "v" * 64
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


@pytest.fixture
def nil(visitor, ayse):
    visitor.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    visitor.user = ayse
    return visitor


def question(application, **more):
    return {
        "response_type": "code",
        "client_id": application.client_id,
        "redirect_uri": BACK,
        "scope": "read score",
        "state": "xyz",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    } | more


def consent(visitor, application, **more):
    """Ask, and allow what the page shows; return where the browser is led."""
    page = visitor.get(AUTHORIZE, question(application, **more))
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    return page, visitor.post(AUTHORIZE, fields | {"allow": "true"})


def code_of(answer):
    assert answer.status_code == 302
    return parse_qs(urlsplit(answer["Location"]).query)["code"][0]


def exchange(application, code, **more):
    said = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK}
    said |= {"client_id": application.client_id, "code_verifier": VERIFIER}
    return Client(enforce_csrf_checks=True).post(TOKEN, said | more)


def refresh(application, token, **more):
    said = {"grant_type": "refresh_token", "refresh_token": token}
    return Client().post(TOKEN, said | {"client_id": application.client_id} | more)


def asks(path, text, method="get"):
    headers = {"Authorization": f"Bearer {text}"}
    return getattr(Client(), method)(f"/api/v1/{path}", headers=headers)


@pytest.fixture
def application(db):
    return ApplicationFactory()


def connected(visitor, application, **more):
    _page, led = consent(visitor, application, **more)
    return exchange(application, code_of(led)).json()


def test_site_of_a_federation_acts_for_a_person_who_allows_it(nil):
    wish = {"name": "The federation", "addresses": f"{BACK}\n", "kind": "confidential"}
    made = nil.post(NEW, wish)
    secret = re.search(r'id="client-secret"[^>]*>(\w+)<', made.text)[1]
    application = Application.objects.get()
    assert secret not in application.client_secret

    page, led = consent(nil, application)
    assert "The federation" in page.text
    assert "writes and corrects the sheets that you may write" in page.text
    assert "federation.example" in page.text
    policy = page["Content-Security-Policy"]
    assert "form-action 'self' https://federation.example" in policy
    assert (page["X-Frame-Options"], "no-store" in page["Cache-Control"]) == ("DENY", True)
    where = urlsplit(led["Location"])
    answer = parse_qs(where.query)
    assert (f"{where.scheme}://{where.netloc}{where.path}", answer["state"]) == (BACK, ["xyz"])
    assert answer["iss"] == ["http://testserver"]
    code = answer["code"][0]
    assert exchange(application, code).status_code == 401
    got = exchange(application, code, client_secret=secret).json()

    assert (got["token_type"], got["expires_in"], got["scope"]) == ("Bearer", 3600, "read score")
    me = asks("me/", got["access_token"]).json()
    assert (me["email"], me["token"]["name"]) == (AYSE, "The federation")
    assert me["token"]["scopes"] == ["read", "score"]
    refused = asks("clubs/", got["access_token"], "post")
    assert (refused.status_code, refused.json()["scope"]) == (403, "manage")
    assert "The federation" in nil.get(TOKENS).text


def test_nothing_that_gives_access_is_stored(nil, application):
    code = code_of(consent(nil, application)[1])
    assert Grant.objects.count() == 1
    assert code not in repr(Grant.objects.values())
    got = exchange(application, code).json()
    assert not Grant.objects.exists()
    renewed = refresh(application, got["refresh_token"]).json()

    rows = [*AccessToken.objects.values(), *RefreshToken.objects.values()]
    assert len(rows) == 3
    for each in (got, renewed):
        assert each["access_token"] not in repr(rows)
        assert each["refresh_token"] not in repr(rows)


def let_pass(seconds):
    used = RefreshToken.objects.exclude(revoked=None)
    used.update(revoked=F("revoked") - timedelta(seconds=seconds))


@pytest.mark.parametrize("again", [{}, {"scope": "read"}])
@pytest.mark.parametrize("seconds", [0, 55])
def test_lost_answer_to_a_refresh_is_given_again(nil, application, seconds, again):
    first = connected(nil, application)
    second = refresh(application, first["refresh_token"]).json()
    assert asks("me/", first["access_token"]).status_code == 401
    let_pass(seconds)

    assert refresh(application, first["refresh_token"], **again).json() == second

    assert asks("me/", second["access_token"]).status_code == 200
    third = refresh(application, second["refresh_token"]).json()
    assert asks("me/", third["access_token"]).status_code == 200
    names = ("access_token", "refresh_token")
    assert len({each[name][4:] for each in (first, second, third) for name in names}) == 6


def used_too_late(_application, _first, _second):
    let_pass(61)


def used_after_its_successor(application, _first, second):
    assert refresh(application, second["refresh_token"]).status_code == 200


@pytest.mark.parametrize("meanwhile", [used_too_late, used_after_its_successor])
def test_thief_of_a_refresh_token_ends_them_all(nil, application, meanwhile):
    first = connected(nil, application)
    second = refresh(application, first["refresh_token"]).json()
    meanwhile(application, first, second)

    stolen = refresh(application, first["refresh_token"])

    assert (stolen.status_code, stolen.json()["error"]) == (400, "invalid_grant")
    assert refresh(application, second["refresh_token"]).status_code == 400
    assert asks("me/", second["access_token"]).status_code == 401
    assert not AccessToken.objects.exists()


def test_refresh_is_for_its_application_and_gives_no_more_than_was_allowed(nil, application):
    first = connected(nil, application, scope="read")
    more = refresh(application, first["refresh_token"], scope="read manage")
    assert (more.status_code, more.json()["error"]) == (400, "invalid_scope")
    connected(nil, application, scope="score")
    ((_row, allowed),) = nil.get(reverse("tokens")).context["connected"]
    assert {*map(str, allowed)} == {*map(str, may(["read", "score"]))}
    refresh(application, first["refresh_token"])
    stolen = refresh(ApplicationFactory(), first["refresh_token"])
    assert (stolen.status_code, stolen.json()["error"]) == (400, "invalid_grant")


def end_by_page(nil, application, _got):
    form = reverse("withdraw_application", args=[application.pk])
    assert form in nil.get(TOKENS).text
    nil.post(form)
    assert form not in nil.get(TOKENS).text


def end_by_program(_nil, application, got):
    said = {"token": got["refresh_token"], "client_id": application.client_id}
    assert Client(enforce_csrf_checks=True).post(REVOKE, said).status_code == 200


def end_by_reset(nil, _application, _got):
    revoke_all(nil.user)


def end_by_developer(_nil, application, _got):
    application.delete()


def end_by_account(nil, _application, _got):
    User.objects.filter(pk=nil.user.pk).delete()
    assert not Grant.objects.exists()


def end_by_staff(nil, _application, _got):
    User.objects.filter(pk=nil.user.pk).update(is_active=False)


@pytest.mark.parametrize(
    "end",
    [end_by_page, end_by_program, end_by_reset, end_by_developer, end_by_account, end_by_staff],
)
def test_access_ends(nil, application, end):
    got = connected(nil, application)
    other = connected(nil, ApplicationFactory()) if end is end_by_page else None

    end(nil, application, got)

    assert asks("me/", got["access_token"]).status_code == 401
    renewed = refresh(application, got["refresh_token"]).json()
    assert asks("me/", renewed.get("access_token", "none")).status_code == 401
    assert other is None or asks("me/", other["access_token"]).status_code == 200


def error_of(answer):
    """What the browser takes to the application: its host, error, state and the server."""
    where = urlsplit(answer["Location"])
    said = parse_qs(where.query or where.fragment)
    return where.netloc, *(said.get(name) for name in ("error", "state", "iss"))


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
        ({"code_challenge": VERIFIER, "code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"code_challenge_method": "plain", "scope": "read everything"}, "invalid_scope"),
        ({"response_type": "token"}, "unauthorized_client"),
        ({"response_type": "code token"}, "unauthorized_client"),
        ({"scope": "read everything"}, "invalid_scope"),
        ({"resource": "no address"}, "invalid_target"),
    ],
)
def test_question_that_cannot_be_is_told_to_the_application(nil, application, more, error):
    asked = question(application, **more)
    answer = nil.get(AUTHORIZE, {name: value for name, value in asked.items() if value})
    assert error_of(answer) == ("federation.example", [error], ["xyz"], ["http://testserver"])


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({}, "access_denied"),
        ({"allow": "true", "code_challenge_method": "plain"}, "invalid_request"),
        ({"allow": "true", "code_challenge_method": ""}, "invalid_request"),
        ({"allow": "true", "scope": "everything"}, "invalid_scope"),
        ({"allow": "true", "resource": "no"}, "invalid_target"),
    ],
)
def test_refusal_by_the_form_is_told_to_the_application(nil, application, more, error):
    answer = nil.post(AUTHORIZE, question(application) | more)
    assert error_of(answer) == ("federation.example", [error], ["xyz"], ["http://testserver"])
    assert not Grant.objects.exists()


@pytest.mark.parametrize("back", [f"{BACK}?club=moda", f"{BACK}?iss=https://evil.example"])
def test_error_keeps_the_query_of_a_redirect_uri_but_one_server(nil, back):
    application = ApplicationFactory(redirect_uris=back)
    answer = nil.post(AUTHORIZE, question(application, redirect_uri=back))
    said = parse_qs(urlsplit(answer["Location"]).query)
    assert (said["error"], said["iss"]) == (["access_denied"], ["http://testserver"])
    assert said.get("club") == (["moda"] if "club" in back else None)


@pytest.mark.parametrize(
    "more", [{"client_id": "nobody"}, {"redirect_uri": "https://evil.example/"}, {"state": "\0"}]
)
def test_browser_is_led_nowhere_for_a_stranger(nil, application, more):
    answer = nil.get(AUTHORIZE, question(application, **more))
    assert answer.status_code in {400, 401}
    assert "Location" not in answer


def test_consent_is_asked_for_again(nil, application):
    connected(nil, application)
    page = nil.get(AUTHORIZE, question(application, approval_prompt="auto"))
    assert page.status_code == 200
    assert nil.post(AUTHORIZE, {}).status_code == 400


@pytest.mark.parametrize(
    "said",
    [
        *({}, {"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}),
        *({"grant_type": "client_credentials"}, {"code": "\0"}),
    ],
)
def test_other_ways_to_tokens_are_closed(application, said):
    answer = Client().post(TOKEN, {"client_id": application.client_id} | said)
    assert 400 <= answer.status_code < 500
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("where", [TOKEN, REVOKE])
def test_secrets_of_applications_are_tried_only_so_often(application, settings, where):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"oauth_token": "2/m/ip"}
    said = {"client_id": application.client_id, "client_secret": "wrong", "token": "none"}
    statuses = [Client().post(where, said).status_code for _ in range(3)]
    assert (statuses[0] == 429, statuses[2]) == (False, 429)


@pytest.mark.parametrize(
    "address",
    [
        *("http://federation.example/", "javascript:alert(1)", "https://a@b.example/"),
        *("https://b.example/#x", "https://*.example/", "myapp://back", "https://"),
        *("https://b.example:x/", "https://şık.example/cb", "https://b.example/şık"),
        *("https://evil.example;sandbox/cb", "https://evil.example,x/cb", "https://b.example'/"),
    ],
)
def test_application_is_called_back_at_safe_addresses_only(nil, address):
    wish = {"name": "A", "addresses": f"{BACK} http://127.0.0.1/back {address}", "kind": "public"}
    assert nil.post(NEW, wish).status_code == 422
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://evil.example;sandbox/cb", ""),
        ("https://evil.example,x/cb", ""),
        ("https://good.example:8443/cb?x=1;y", " https://good.example:8443"),
        ("http://[::1]:9000/cb", " http://[::1]:9000"),
    ],
)
def test_policy_of_a_consent_has_host_and_port_of_its_redirect_alone(nil, address, origin):
    application = ApplicationFactory(redirect_uris=address)
    page = nil.get(AUTHORIZE, question(application, redirect_uri=address))
    (action,) = [
        part for part in page["Content-Security-Policy"].split("; ") if part.startswith("form-a")
    ]
    assert (page.status_code, action) == (200, f"form-action 'self'{origin}")
    assert "sandbox" not in page["Content-Security-Policy"]


def test_account_registers_only_so_many_and_removes_its_own(nil):
    ApplicationFactory.create_batch(MOST_APPLICATIONS, user=nil.user)
    wish = {"name": "A", "addresses": BACK, "kind": "public"}
    assert nil.post(NEW, wish).status_code == 422
    row = Application.objects.first()
    assert row.client_id in nil.get(reverse("application", args=[row.pk])).text
    nil.post(reverse("application", args=[row.pk]))
    assert "client-secret" not in nil.post(NEW, wish).text
    assert Application.objects.count() == MOST_APPLICATIONS


def test_server_says_what_it_can():
    said = Client().get("/.well-known/oauth-authorization-server").json()

    assert said["issuer"] == "http://testserver"
    assert said["authorization_endpoint"] == f"http://testserver{AUTHORIZE}"
    assert said["token_endpoint"] == f"http://testserver{TOKEN}"
    assert said["revocation_endpoint"] == f"http://testserver{REVOKE}"
    assert said["code_challenge_methods_supported"] == ["S256"]
    assert said["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert said["scopes_supported"] == sorted(Scope)
    assert "introspection_endpoint" not in said


def test_application_keeps_no_personal_tokens(nil, application):
    got = connected(nil, application, scope="manage")
    headers = {"Authorization": f"Bearer {got['access_token']}"}
    wish = {"name": "mine", "scopes": ["manage"]}
    answer = Client().post("/api/v1/tokens/", wish, "application/json", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "personal-token-needed")
    assert asks("tokens/", got["access_token"]).status_code == 403
    assert not PersonalToken.objects.exists()


def test_consent_asks_for_a_fresh_sign_in(nil, application, settings):
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 0
    answer = nil.get(f"{AUTHORIZE}?{urlencode(question(application))}")
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_reauthenticate"))


NEW_TOKEN = reverse("new_token")
WISH = {"name": "  The  screen ", "scopes": ["score", "read"], "days": "30"}


def revoking(token):
    return reverse("token", args=[token.public_id])


def shown(answer):
    return re.search(r"<textarea[^>]*>(ks_\w+)</textarea>", answer.text)[1]


def test_page_for_programs_leads_to_a_form_that_only_has_to_be_sent(nil):
    lead = re.search(r'href="([^"]+\?name=[^"]+)"', nil.get("/api/").text)[1]
    form = nil.get(lead).text
    name = re.search(r'<input type="text" name="name" value="([^"]+)"', form)[1]
    ticked = re.findall(r'name="scopes" value="(\w+)"[^>]* checked', form)

    asked = {"name": name, "scopes": ticked, "days": "365"}
    assert asks("games/abc/", shown(nil.post(NEW_TOKEN, asked))).status_code == 404


def test_token_is_shown_once_where_it_was_made_and_works(nil):
    made = nil.post(NEW_TOKEN, WISH)

    text = shown(made)
    assert "no-store" in made["Cache-Control"]
    assert asks("games/abc/", text).status_code == 404
    row = PersonalToken.objects.get()
    assert (row.name, row.scopes, row.user) == ("The screen", ["read", "score"], nil.user)
    assert row.expiry - timezone.now() > timedelta(days=29)
    listed = nil.get(TOKENS).text
    assert (text in listed, text[:8] in listed, "never used" in listed) == (False, True, False)
    assert "Read · Write sheets" in listed
    assert text not in nil.get(revoking(row)).text


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": " "}, "Say what it is for, to know it again."),
        ({"scopes": []}, "Choose at least one."),
        ({"days": "5000"}, "5000"),
    ],
    ids=lambda case: str(case)[:20],
)
def test_token_that_cannot_be_is_not_made(nil, wrong, sentence):
    answer = nil.post(NEW_TOKEN, WISH | wrong)

    assert (answer.status_code, sentence in answer.text) == (422, True)
    assert not PersonalToken.objects.exists()


def test_account_has_so_many_tokens_and_no_more_until_one_is_over(nil):
    for _ in range(MOST_TOKENS - 1):
        TokenFactory(user=nil.user)
    over = TokenFactory(user=nil.user, expiry=-timedelta(minutes=1))
    TokenFactory()
    assert nil.post(NEW_TOKEN, WISH).status_code == 200
    assert not PersonalToken.objects.filter(pk=over.pk).exists()

    answer = nil.post(NEW_TOKEN, WISH)

    assert (answer.status_code, "There are 20 already" in answer.text) == (422, True)
    assert PersonalToken.objects.of(nil.user).count() == MOST_TOKENS


@pytest.mark.parametrize("end", ["deactivated", "deleted", "over"])
def test_token_ends_with_its_account_or_its_time(nil, end):
    text = shown(nil.post(NEW_TOKEN, WISH))
    if end == "deleted":
        nil.post(reverse("delete_account"), {"typed": nil.user.email})
        assert not PersonalToken.objects.exists()
    elif end == "over":
        PersonalToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    else:
        nil.user.is_active = False
        nil.user.save()

    assert asks("games/abc/", text).status_code == 401
