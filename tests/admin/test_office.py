import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.core import serializers
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests import club_factories as make
from tests import program_factories
from tests.check_factories import CheckFactory, DifferenceFactory, EmailFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, HouseRulesetFactory, ReportFactory, UserFactory
from tests.rating_factories import PlayerRatingFactory
from tournaments import models
from tournaments.services.people.players import subject_of

PASSWORD = "sepet-havlu-33"

pytestmark = pytest.mark.django_db


def line():
    account = make.AccountFactory()
    player = make.PlayerFactory(account=account)
    return make.AuditEntryFactory(user=account, club=player.club, subject=subject_of(player))


def merged():
    kept = make.PlayerFactory()
    gone = make.PlayerFactory(club=kept.club, merged_into=kept)
    return models.Merge.objects.create(
        kept=kept, gone=gone, seats=[], account_moved=False, at=EVENING
    )


def event():
    season = make.SeasonFactory()
    return make.EventFactory(club=season.club, season=season)


def game():
    return make.TableFactory(
        round__event__club=make.ClubFactory(), entries=WHOLE_GAME[:2]
    ).games.get()


def logged():
    content_type = ContentType.objects.get_for_model(models.User)
    return LogEntry.objects.create(
        user=UserFactory(), content_type=content_type, action_flag=CHANGE, object_repr="a"
    )


ROWS = {
    models.User: make.AccountFactory,
    models.Club: make.ClubFactory,
    models.Member: make.MemberFactory,
    models.Invitation: make.InvitationFactory,
    models.Season: make.SeasonFactory,
    models.Player: lambda: make.PlayerFactory(account=make.AccountFactory(), merged_into=None),
    models.Merge: merged,
    models.AuditEntry: line,
    models.Event: event,
    models.Round: make.RoundFactory,
    models.Table: make.TableFactory,
    models.Match: lambda: models.Match.objects.create(
        length="best-of", number=3, created_at=EVENING
    ),
    models.Game: game,
    models.Tournament: make.TournamentFactory,
    models.Entrant: lambda: make.EntrantFactory(partner=make.PlayerFactory()),
    models.Sitting: lambda: make.SittingFactory(
        round=(table := make.TableFactory()).round, table=table, side=0
    ),
    models.Substitute: make.SubstituteFactory,
    models.Ruling: make.RulingFactory,
    models.HouseRuleset: lambda: HouseRulesetFactory(club=make.ClubFactory(), author=UserFactory()),
    models.Report: lambda: ReportFactory(game=game()),
    models.PlayerRating: PlayerRatingFactory,
    models.Check: CheckFactory,
    models.Difference: lambda: DifferenceFactory(club=make.ClubFactory()),
    models.Email: EmailFactory,
    models.RatingDue: lambda: models.RatingDue.objects.create(
        club=make.ClubFactory(), since=EVENING
    ),
    models.PersonalToken: program_factories.TokenFactory,
    models.IdempotencyRecord: program_factories.IdempotencyRecordFactory,
    models.Webhook: program_factories.WebhookFactory,
    models.Delivery: program_factories.DeliveryFactory,
    models.ChangeFeed: lambda: models.ChangeFeed.objects.get_or_create(pk=1)[0],
    LogEntry: logged,
    EmailAddress: lambda: EmailAddress.objects.create(
        user=(account := make.AccountFactory()), email=account.email
    ),
    Authenticator: lambda: Authenticator.objects.create(
        user=make.AccountFactory(), type=Authenticator.Type.RECOVERY_CODES, data={"seed": "s3cr3t"}
    ),
    UserSession: lambda: UserSession.objects.create(
        user=(account := make.AccountFactory()), ip="192.0.2.7", session_key=f"s3cr3t-{account.pk}"
    ),
}
"""How a row of each model of the back office is made."""

MODELS = pytest.mark.parametrize("model", ROWS, ids=lambda model: model.__name__)


def page(model, which, *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{which}", args=args)


def everything():
    kinds = apps.get_app_config("tournaments").get_models()
    return [serializers.serialize("json", kind.objects.order_by("pk")) for kind in kinds]


@pytest.fixture
def superuser(client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    client.user = UserFactory(username="owner", is_superuser=True)
    client.force_login(client.user)
    return client


@pytest.fixture
def staff(client):
    client.user = UserFactory(username="staff")
    client.force_login(client.user)
    return client


def test_every_model_of_the_back_office_has_its_row_here():
    assert set(admin.site._registry) == set(ROWS)


@MODELS
def test_list_takes_the_same_queries_for_any_number_and_is_searched_by_any_word(superuser, model):
    counts = []
    for more in (1, 2):
        for _ in range(more):
            ROWS[model]()
        ContentType.objects.clear_cache()
        with CaptureQueriesContext(connection) as queries:
            assert superuser.get(page(model, "changelist")).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
    for text in ("ışıl 1 game:abc", "% \"'"):
        assert superuser.get(page(model, "changelist"), {"q": text}).status_code == 200


@pytest.mark.parametrize(
    ("who", "model"), [("staff", models.User), *(("superuser", model) for model in ROWS)]
)
def test_nothing_but_accounts_is_added_changed_or_deleted(request, who, model):
    client = request.getfixturevalue(who)
    row = ROWS[model]()
    fields = {field.name: "1" for field in model._meta.fields} | {"name": "Another", "post": "yes"}
    before = everything()
    changed = [page(model, "add"), page(model, "delete", row.pk)]
    if model is not models.User or who == "staff":
        changed.append(page(model, "change", row.pk))

    assert {client.post(where, fields).status_code for where in changed} == {403}
    for action in ("delete_selected", "make_verified"):
        client.post(
            page(model, "changelist"), {"action": action, "_selected_action": row.pk, "post": "yes"}
        )

    assert everything() == before


def test_nothing_that_gives_access_is_shown(superuser):
    table = make.TableFactory(entries=WHOLE_GAME[:1])
    sheet = table.games.get()
    invitation, player = make.InvitationFactory(), make.PlayerFactory()
    opening = [
        *(sheet.secret(kind) for kind in ("write", "pen", "follow")),
        *(table.secret, invitation.secret, player.claim_secret, player.claim_code),
        f">{table.code}<",
    ]
    token, delivery = program_factories.TokenFactory(), program_factories.DeliveryFactory()
    opening += [token.digest, token.token_key, delivery.webhook.secret]
    rows = {
        models.Table: table,
        models.Game: sheet,
        models.Invitation: invitation,
        models.Player: player,
    }
    rows |= {
        models.PersonalToken: token,
        models.Webhook: delivery.webhook,
        models.Delivery: delivery,
    }
    rows |= {model: ROWS[model]() for model in (Authenticator, UserSession)}
    superuser.user.set_password("a good long one")
    superuser.user.save()
    superuser.force_login(superuser.user)
    rows[models.User] = superuser.user

    for model, row in rows.items():
        for where in (page(model, "changelist"), page(model, "change", row.pk)):
            html = superuser.get(where).content.decode()
            found = [secret for secret in (*opening, "s3cr3t", "md5$") if secret in html]
            assert found == []


@pytest.mark.parametrize(
    "model", [models.Game, models.AuditEntry], ids=lambda model: model.__name__
)
def test_long_list_is_not_counted_to_its_end(superuser, monkeypatch, model):
    monkeypatch.setattr("tournaments.admin.FARTHEST", 2)
    for _ in range(3):
        ROWS[model]()

    with CaptureQueriesContext(connection) as queries:
        html = superuser.get(page(model, "changelist")).content.decode()

    assert "2 " in html
    counted = [query["sql"] for query in queries if "COUNT(" in query["sql"]]
    assert counted
    assert all("LIMIT 2" in sql for sql in counted)


def form_of(account, **changes):
    fields = {"first_name": account.first_name, "last_name": account.last_name}
    powers = {name: "on" for name in ("is_active", "is_staff") if getattr(account, name)}
    form = fields | powers | changes
    return {name: value for name, value in form.items() if value is not None}


def change(client, account, **changes):
    return client.post(
        page(models.User, "change", account.pk), form_of(account, **changes), follow=True
    )


def test_superuser_changes_names_and_powers_of_an_account(superuser):
    account = make.AccountFactory()

    change(superuser, account, first_name="Nil", is_staff="on")

    account.refresh_from_db()
    assert (account.first_name, account.is_staff, account.is_active) == ("Nil", True, True)
    assert LogEntry.objects.get().object_id == str(account.pk)


@pytest.mark.parametrize(
    "more",
    [{"is_superuser": "on"}, {"password": "x"}, {"username": "root"}, {"email": "a@example.org"}],
)
def test_nothing_else_of_an_account_is_changed(superuser, more):
    account = make.AccountFactory()
    before = serializers.serialize("json", [account])

    change(superuser, account, **more)

    account.refresh_from_db()
    assert serializers.serialize("json", [account]) == before


def test_nobody_locks_themselves_out(superuser):
    change(superuser, superuser.user, is_active=None, is_staff=None, first_name="Nil")

    superuser.user.refresh_from_db()
    assert (superuser.user.is_active, superuser.user.is_staff) == (True, True)
    assert superuser.user.first_name == "Nil"


def test_account_that_is_active_again_has_to_sign_in_anew(superuser):
    account, mine = (
        make.AccountFactory(password=make_password(PASSWORD)),
        reverse("usersessions_list"),
    )
    EmailAddress.objects.create(user=account, email=account.email, verified=True, primary=True)
    theirs = type(superuser)()
    theirs.post(reverse("account_login"), {"login": account.email, "password": PASSWORD})
    assert theirs.get(mine).status_code == 200

    change(superuser, account, is_active=None)
    change(superuser, account, is_active="on")

    assert theirs.get(mine).status_code == 302


def test_back_office_tells_which_clubs_are_without_an_owner_now(superuser):
    owner = make.AccountFactory()
    lonely, kept = make.ClubFactory(name="Lonely"), make.ClubFactory(name="Kept")
    for club in (lonely, kept):
        make.MemberFactory(club=club, user=owner, role="owner")
    make.MemberFactory(club=kept, role="owner")
    make.MemberFactory(club=lonely, role="owner", user__is_active=False)

    answer = change(superuser, owner, is_active=None)

    html = answer.content.decode()
    assert "Without an owner who can sign in now: Lonely." in html


def test_passwords_of_others_are_not_set(superuser):
    account = make.AccountFactory()
    answer = superuser.post(
        f"/office/tournaments/user/{account.pk}/password/", {"password1": "x", "password2": "x"}
    )
    assert answer.status_code in (302, 404)
    account.refresh_from_db()
    assert account.password == ""
