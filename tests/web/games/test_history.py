import re

from django.test import Client

from tests.club_factories import MemberFactory, PlayerFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory, GameFactory, record
from tests.web.games.table import fields_of, follow, game_with, send, setup_fields, url
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Player, Revision, User
from tournaments.services.games import playing
from tournaments.web.base.phone import address


def steps(plain, game):
    """The lines of the history without their times."""
    page = plain.get(url(game, "history")).content.decode()
    lines = re.findall(r"<li>(.*?)</li>", page.partition('class="versions"')[2], re.DOTALL)
    texts = [re.sub(r"<time.*?</time>", "", line) for line in lines]
    return [" ".join(re.sub(r"<[^>]+>", " ", text).split()) for text in texts]


def test_history_shows_what_was_written_corrected_and_undone(plain):
    game = game_with(2)
    typed = fields_of(WHOLE_GAME[1]) | {"count-queens-2": "1", "count-queens-0": "2"}
    send(plain, game, "entry", 1, why="Cem took one", holder="1", **typed)
    record(game, {"type": "adjustment", "seat": 2, "points": "-1/2", "reason": "late"})
    send(plain, game, "undo", position=2, holder="3")
    assert steps(plain, game) == [
        "A line of the sheet taken off · Cem · −½ · late",
        "A line of the sheet written · Ayşe · Cem · −½ · late",
        "Deal 2 corrected · No queens · 1 0 2 1 → No queens · 2 0 1 1 Cem took one",
        "Deal 2 written · Ayşe · No queens · 1 0 2 1",
        "Deal 1 written · Ayşe · Rıfkı (king of hearts) · 0 0 1 0",
    ]


def write_by(*phones, game):
    """Each phone opens the sheet and writes a deal; who made each, as the history says it."""
    for phone, body in zip(phones, WHOLE_GAME, strict=False):
        phone.get(url(game, "write"))
        send(phone, game, **fields_of(body))
    phones[0].defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return [line.split(" · ")[1] for line in reversed(steps(phones[0], game))]


def test_history_numbers_the_phones_in_the_order_of_their_first_writes(plain):
    game, other, third = game_with(), Client(), Client()
    assert write_by(other, plain, other, third, game=game) == [
        *("phone 1", "phone 2"),
        *("phone 1", "phone 3"),
    ]
    assert write_by(plain, other, game=game_with()) == ["phone 1", "phone 2"]
    assert Revision.objects.values("phone").distinct().count() == 5


def test_history_names_who_was_signed_in(club, visitor):
    game = TableFactory(round__event__club=club).games.get()
    director, member = Client(), Client()
    for client, role in ((director, "director"), (member, "member")):
        client.force_login(MemberFactory(club=club, role=role).user)
    User.objects.filter(memberships__role="director").update(first_name="Defne")
    PlayerFactory(club=club, name="Mert", account=User.objects.get(memberships__role="member"))
    said = ["Defne (director)", "phone 2", "Mert"]
    assert write_by(director, visitor, member, game=game) == said
    seated = Player.objects.filter(seats__game=game, seats__number=1)
    seated.update(account=User.objects.get(first_name="Defne"))
    assert steps(visitor, game)[-1].split(" · ")[1] == "Defne"
    User.objects.filter(first_name="Defne").delete()
    assert "phone 1" in steps(visitor, game)[-1]


def test_corrected_line_says_which_phone_corrected_it_to_those_who_write(plain):
    game = game_with(1)
    plain.get(url(game, "write"))
    send(
        plain,
        game,
        "entry",
        0,
        **fields_of(WHOLE_GAME[0]) | {"count-heart_king-2": "", "count-heart_king-1": "1"},
    )
    assert 'title="phone 1"' in plain.get(url(game, "write")).content.decode()
    assert "phone 1" not in plain.get(address(game, "follow")).content.decode()
    assert "phone 1" in plain.get(url(game, "entry", 0)).content.decode()


def test_history_shows_changes_of_the_setup(plain):
    game = game_with(0)
    changes = {"name0": "Aylin", "first_declarer": 2, "king": "off", "place": "Moda"}
    send(plain, game, "head", holder="1", **setup_fields(game, **changes))
    send(plain, game, "head", **setup_fields(game, name0="Aylin"))
    first, second = reversed(steps(plain, game))
    assert first == (
        "names, seats or rules changed · Seat 1: Ayşe → Aylin"
        " Who declared first: Seat 1 → Seat 3 King: ends the game → does not exist Place: Moda"
    )
    assert second == (
        "names, seats or rules changed · Who declared first: Seat 3 → Seat 1"
        " King: does not exist → ends the game Place: Moda → –"
    )


def test_names_are_text_wherever_a_table_shows_them(plain):
    names = ["<script>alert(1)</script>", '" onload=alert(2) "', "</script><b>", "&lt;i&gt;"]
    game = GameFactory(head__players=names)
    # Programs give the name of an author.
    playing.record_entry(game.pk, parse_entry(WHOLE_GAME[0]), ContextFactory(author=names[0]))

    pages = [plain.get(url(game, name)).text for name in ("write", "history", "head")]
    pages.append(follow(plain, game).text)

    assert "&amp;lt;i&amp;gt;" in "".join(pages)
    for page in pages:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        # In JSON a backslash stands before the quote.
        for smuggled in ("<script>alert", r'[^\\]" onload=alert', "</script><b>", "<i>"):
            assert not re.search(smuggled, page)
