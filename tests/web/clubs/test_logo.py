import io

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory
from django.urls import reverse
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.club_factories import ClubFactory
from tournaments.models import AuditEntry, Club
from tournaments.reports.pages import Heading, page_data
from tournaments.web.documents.views import paper_of

LOGO, SETTINGS = (reverse(name, args=["moda"]) for name in ("club_logo", "club_settings"))
SECRET = b"written beside the picture"


def picture(kind="PNG", size=(900, 300), **rest):
    buffer = io.BytesIO()
    Image.new("RGB", size, (29, 107, 72)).save(buffer, kind, **rest)
    return buffer.getvalue()


def hiding(kind):
    """A picture that carries more than its pixels."""
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
    with_logo = ClubFactory(paper="us-letter", logo=ContentFile(b"a picture", "moda.png"))

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
