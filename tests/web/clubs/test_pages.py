import io
import re
from collections import Counter
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
from tests.deals import WHOLE_GAME
from tests.factories import record_all
from tournaments.models import AuditEntry, Club, Event, Game, Member, Player, Seat, Table, User
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


def test_new_club_asks_its_directors_for_names_and_leads_on(visitor, club):
    for role, told in (("owner", True), ("director", True), ("member", False)):
        text = visitor.become(role, club).get(url("club", "moda")).text
        for name in ("new_players", "new_event", "new_tournament", "imports"):
            assert (url(name, "moda") in text) is told
        assert (url("new_invitation", "moda") in text) is (role == "owner")
        assert ("✓ A second director" in text) is (role == "director")


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (0, "No player yet."),
        (1, "1 player; a table needs 3 more."),
        (3, "3 players; a table needs 1 more."),
        (4, "4 players, 1 table."),
        (9, "9 players, 2 tables; 1 has no chair until 3 more come."),
        (22, "22 players, 5 tables; 2 have no chair until 2 more come."),
    ],
)
def test_new_club_opens_with_its_players_and_the_tables_they_fill(director, club, number, sentence):
    make.PlayerFactory.create_batch(number, club=club)

    page = director.get(url("club", "moda"))
    assert f"{sentence}</p>" in page.text
    # Names come first until they fill a table.
    assert ('club-names leads" open' in page.text) is (number < 4)


def test_names_that_are_doubled_are_left_out_and_the_rest_comes_back_to_the_new_club(director):
    typed = {"list": "Ayşe\nBurak\nayşe\nCem\n", "what": "look"}
    seen = director.post(url("new_players", "moda"), typed)
    assert (seen.status_code, Player.objects.count()) == (422, 0)

    seen = director.post(url("new_players", "moda"), typed | {"what": "skip"})
    sent = typed | {"what": "import", "skip": "3", "seen": seen.context["seen"]}
    pages = [director.post(url("new_players", "moda"), sent, follow=True) for _twice in range(2)]

    assert [page.redirect_chain for page in pages] == [[(url("club", "moda"), 302)]] * 2
    assert "3 players; a table needs 1 more." in pages[0].text
    assert Player.objects.count() == 3


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("events", "new_event"),
        ("players", "new_players"),
        ("people", "new_invitation"),
        ("club_games", "club"),
        ("club_records", "club"),
        ("webhooks", "new_webhook"),
        ("entrants", "add_entrants"),
        ("standings", "entrants"),
        ("rulings", "tournament"),
    ],
)
def test_empty_pages_of_a_new_club_lead_on(owner, club, name, way):
    row = make.TournamentFactory(event__club=club)
    of = ("moda", row.slug) if name in ("entrants", "standings", "rulings") else ("moda",)

    text = owner.get(url(name, *of)).text

    main = re.sub(r"<nav.*?</nav>", "", text[text.index("<main") :], flags=re.DOTALL)
    assert f'href="{url(way, *of)}"' in main


def here(*players, **more):
    return {"player": [player.public_id for player in players], **more}


def seats_of(event):
    seats = Seat.objects.filter(game__table__round__event=event)
    return dict(Counter(seats.values_list("game__table__number", flat=True)))


def test_evening_of_today_is_drawn_once_and_stays_on_the_page_until_it_is_over(director, club):
    players = make.PlayerFactory.create_batch(11, club=club)
    page = director.get(url("club", "moda")).context["who"]
    assert sorted(page["player"].value()) == sorted(here(*players)["player"])

    first, again = (
        director.post(url("tonight", "moda"), here(*players[:10]), follow=True) for _twice in "12"
    )

    event = Event.objects.get()
    assert (event.held_on, event.ruleset, seats_of(event)) == (
        timezone.localdate(),
        "turkish-king",
        {1: 4, 2: 4},
    )
    resting = set(players[:10]) - set(Player.objects.filter(seats__isnull=False))
    assert len(resting) == 2
    for answer in (first, again):
        assert answer.redirect_chain == [(url("club", "moda"), 302)]
        assert all(player.name in answer.text.split("Without a chair:")[1] for player in resting)
        assert "Evening: Round 1, 0 of 2 tables finished." in answer.text
        assert "table-cards-of-round.pdf" in answer.text
    later = director.get(url("club", "moda"))
    assert [line.table.number for line in later.context["rounds"][0]["tables"]] == [1, 2]
    for game in Game.objects.all():
        record_all(game, WHOLE_GAME)
    over = director.get(url("club", "moda"))
    assert ("evening" in over.context, over.context["is_new"]) == (False, False)


@pytest.mark.parametrize(
    ("number", "game", "tables"),
    [(3, "", None), (3, "king-three", 1), (201, "", None), (4, "x", None)],
)
def test_who_is_here_has_to_fill_a_table_of_the_game(director, club, number, game, tables):
    players = make.PlayerFactory.create_batch(number, club=club)

    answer = director.post(url("tonight", "moda"), here(*players, ruleset=game))

    assert answer.status_code == (302 if tables else 422)
    assert Table.objects.count() == (tables or 0)
    assert Event.objects.count() == (1 if tables else 0)
    if not tables:
        assert len(answer.context["who"]["player"].value()) == number


def test_players_of_other_clubs_are_not_seated(director, club):
    make.PlayerFactory.create_batch(4, club=club)
    others = make.PlayerFactory.create_batch(4)

    assert director.post(url("tonight", "moda"), here(*others)).status_code == 422
    assert not Event.objects.exists()


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
