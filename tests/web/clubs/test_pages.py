import io
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests import club_factories as make
from tournaments.models import AuditEntry, Club, Member, Player, User
from tournaments.reports.pages import Heading, page_data
from tournaments.web.documents.views import paper_of

CLUBS, ME, DELETE = "/clubs/", "/me/", "/me/delete/"


def url(name, *args):
    return reverse(name, args=args)


def test_whoever_makes_a_club_owns_it(visitor):
    user = make.AccountFactory()
    visitor.force_login(user)
    assert "None yet. With an invitation you join a club; or create one." in visitor.get(CLUBS).text

    answer = visitor.post(CLUBS, {"name": "Moda King"}, REMOTE_ADDR="192.0.2.7")

    assert answer.url == "/clubs/moda-king/"
    made = Club.objects.get()
    assert list(made.members.values_list("user", "role")) == [(user.pk, "owner")]
    assert made.audit_lines.first().address == "192.0.2.7"
    assert [each.club for each in visitor.get(CLUBS).context["memberships"]] == [made]


def test_strangers_find_published_clubs_with_their_next_event(client, django_assert_num_queries):
    make.ClubFactory(name="Gizli")
    quiet = make.ClubFactory(name="Sakin", published=True)
    club = make.ClubFactory(name="Açık", published=True)
    day = timezone.localdate() + timedelta(days=3)
    following = make.EventFactory(club=club, held_on=day, published=True)
    make.EventFactory(club=club, held_on=day - timedelta(days=1))
    make.EventFactory(club=quiet, held_on=day - timedelta(days=9), published=True)

    with django_assert_num_queries(2):
        answer = client.get(CLUBS)

    assert answer.context["others"] == [(club, following), (quiet, None)]
    assert answer.context["form"] is None
    client.force_login(make.MemberFactory(club=club).user)
    page = client.get(CLUBS).context
    assert [each.club for each in page["memberships"]] == [club]
    assert page["others"] == [(quiet, None)]


def test_visitors_of_a_published_club_see_its_name_and_published_evenings_only(visitor, club):
    Club.objects.update(published=True)
    soon = timezone.localdate() + timedelta(days=1)
    shown = make.EventFactory(club=club, name="Open evening", published=True, held_on=soon)
    make.EventFactory(club=club, name="Closed evening", held_on=soon)

    page = visitor.get(url("club", "moda"))

    assert page.context["next"]["event"] == shown
    assert "Moda King" in page.text
    assert "Closed evening" not in page.text
    for name in ("people", "club_settings", "club_changes", "leave_club"):
        assert url(name, "moda") not in page.text


def test_empty_club_tells_its_directors_what_to_do_first(visitor, club):
    for role, told in (("director", True), ("member", False)):
        text = visitor.become(role, club).get(url("club", "moda")).text
        assert (url("new_tournament", "moda") in text) is told
        assert (url("new_players", "moda") in text) is told
        assert "✓ A second director" not in text
    text = visitor.become("owner", club).get(url("club", "moda")).text
    assert "✓ A second director" in text


def test_club_shows_the_next_evenings(visitor, club):
    today = timezone.localdate()
    days = [
        make.EventFactory(club=club, held_on=today + timedelta(days=day)) for day in range(1, 7)
    ]

    page = visitor.become("member", club).get(url("club", "moda"))

    assert [page.context["next"]["event"], *page.context["soon"]] == days[:4]


def test_member_leaves_after_being_asked(visitor, club):
    visitor.become("member", club)
    assert "Leave Moda King?" in visitor.get(url("leave_club", "moda")).text

    answer = visitor.post(url("leave_club", "moda"), follow=True)

    assert answer.redirect_chain == [(ME, 302)]
    assert "You have left Moda King." in answer.text
    assert not Member.objects.exists()


def test_own_page_shows_clubs_and_players(visitor, club):
    visitor.become("director", club)
    mine = make.PlayerFactory(club=club, account=visitor.user, name="Ece Işık", initials=True)
    make.PlayerFactory(club=club)

    page = visitor.get(ME)

    assert [(m.club, m.role) for m in page.context["memberships"]] == [(club, "director")]
    assert list(page.context["players"]) == [mine]
    assert url("leave_club", "moda") in page.text
    for name in ("my_initials", "my_data", "my_release", "my_removal"):
        assert url(name, mine.public_id) in page.text
    assert url("player", "moda", mine.public_id) in page.text


def test_account_is_deleted_once_its_name_is_typed(visitor, club):
    ece = make.MemberFactory(club=club).user
    player = make.PlayerFactory(club=club, account=ece)
    # They have no password, only codes by e-mail.
    ece.set_unusable_password()
    ece.save()
    visitor.force_login(ece)

    refused = visitor.post(DELETE, {"typed": "nobody@example.org"})
    assert (refused.status_code, User.objects.count()) == (422, 1)
    answer = visitor.post(DELETE, {"typed": ece.email.upper()}, follow=True)

    assert answer.redirect_chain == [("/", 302)]
    assert "Your account is deleted." in answer.text
    assert not User.objects.exists()
    assert Player.objects.get() == player
    assert visitor.get(ME).status_code == 302


def test_account_is_not_deleted_by_whoever_finds_the_phone_open(visitor, club):
    ece = make.MemberFactory(club=club).user
    ece.set_password("a-word-of-their-own")
    ece.save()
    visitor.force_login(ece)

    answer = visitor.post(DELETE, {"typed": ece.email})

    assert answer.url.startswith("/accounts/reauthenticate/")
    assert User.objects.exists()


LOGO, SETTINGS = (reverse(name, args=["moda"]) for name in ("club_logo", "club_settings"))
SECRET = b"written beside the picture"


def picture(kind="PNG", size=(900, 300), **rest):
    buffer = io.BytesIO()
    Image.new("RGB", size, (29, 107, 72)).save(buffer, kind, **rest)
    return buffer.getvalue()


def hiding(kind):
    if kind == "PNG":
        beside = PngInfo()
        beside.add_text("Comment", SECRET.decode())
        return picture(pnginfo=beside) + SECRET
    return picture("JPEG", comment=SECRET) + SECRET


def send(visitor, content, name="logo.png"):
    return visitor.post(LOGO, {"logo": SimpleUploadedFile(name, content)})


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_picture_is_drawn_anew_and_nothing_hidden_stays(visitor, club, kind):
    assert SECRET in hiding(kind)

    answer = send(visitor.become("owner", club), hiding(kind), "../../logo.html")

    assert answer.url == SETTINGS
    shown = visitor.get(LOGO)
    kept = shown.getvalue()
    assert SECRET not in kept
    drawn = Image.open(io.BytesIO(kept))
    assert (drawn.format, drawn.size) == (kind, (480, 160))
    assert shown["Content-Type"] == f"image/{kind.lower()}"
    assert shown["Cache-Control"] == "private, max-age=3600"
    assert Club.objects.get().logo.name.startswith(f"logos/{club.pk}-")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (picture("GIF"), "This is no PNG or JPEG picture."),
        (picture()[:60], "This is no PNG or JPEG picture."),
        (picture(size=(2001, 2)), "The picture is too large"),
        (picture() + bytes(1024 * 1024), "The picture is too large"),
    ],
    ids=["gif", "broken", "wide", "heavy"],
)
def test_what_is_no_small_picture_is_refused(visitor, club, content, why):
    answer = send(visitor.become("owner", club), content)

    assert answer.status_code == 422
    assert answer.context["logo_form"].errors["logo"][0].startswith(why)
    assert not Club.objects.get().logo
    assert not AuditEntry.objects.exists()


def test_logo_is_shown_replaced_and_removed(visitor, club, django_capture_on_commit_callbacks):
    visitor.become("owner", club)
    club_page = reverse("club", args=["moda"])
    assert LOGO not in visitor.get(club_page).text
    with django_capture_on_commit_callbacks(execute=True):
        send(visitor, picture())
        first = Club.objects.get().logo.name
        assert LOGO in visitor.get(club_page).text
        send(visitor, picture(size=(40, 40)))
    second = Club.objects.get().logo.name

    assert (default_storage.exists(first), default_storage.exists(second)) == (False, True)
    with django_capture_on_commit_callbacks(execute=True):
        assert visitor.post(LOGO, {"remove": "yes"}).url == SETTINGS
    assert (Club.objects.get().logo.name, default_storage.exists(second)) == ("", False)
    assert visitor.get(LOGO).status_code == 404
    lines = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(lines) == ["change-logo", "change-logo", "remove-logo"]


def test_documents_take_the_logo_and_the_paper_of_the_club():
    with_logo = make.ClubFactory(paper="us-letter", logo=ContentFile(b"a picture", "moda.png"))

    data = page_data(Heading("Standings"), with_logo)
    assert (data["club"]["logo"], data["paper"]) == (b"a picture", "us-letter")

    default_storage.delete(with_logo.logo.name)
    assert page_data(Heading("Standings"), with_logo)["club"]["logo"] is None
    alone = page_data(Heading("Standings"), paper="us-letter")
    assert (alone["club"], alone["paper"]) == (None, "us-letter")


@pytest.mark.parametrize(
    ("languages", "paper"),
    [
        ("en-US,en;q=0.9", "us-letter"),
        ("tr;q=0.5, es-MX", "us-letter"),
        ("tr,en-US;q=0.8", "a4"),
        ("en-GB,en;q=0.9", "a4"),
        ("", "a4"),
    ],
)
def test_paper_of_an_open_table_is_that_of_the_reader_s_country(languages, paper):
    request = RequestFactory().get("/", headers={"accept-language": languages})

    assert paper_of(request) == paper
