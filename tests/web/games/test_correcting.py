import re
from http import HTTPStatus

import pytest
from django.test import Client

from tests.club_factories import MemberFactory, PlayerFactory, TableFactory
from tests.deals import WHOLE_GAME, deal
from tests.factories import ContextFactory, GameFactory, record, reload
from tests.web.games.table import (
    KEYS,
    fields_of,
    follow,
    game_with,
    page_of,
    send,
    sentences,
    setup_fields,
    table_of,
    url,
    value_of,
)
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Player, Revision, User
from tournaments.services.games import playing
from tournaments.web.base.phone import address


def test_line_that_moves_later_deals_is_taken_off_only_when_that_is_ticked(plain):
    game = game_with(3)
    answer = send(plain, game, "entry", 0, action="withdraw")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Nothing was taken off: tick that the later deals may move." in sentences(answer)
    assert reload(game).positions == (0, 1, 2)
    answer = send(plain, game, "entry", 0, action="withdraw", sure="yes")
    assert answer.status_code == HTTPStatus.FOUND
    assert reload(game).positions == (1, 2)


def test_line_that_moves_no_later_deal_is_taken_off_at_once(plain):
    game = game_with(2)
    record(game, {"type": "redeal", "by": 1, "reason": "misdeal"})
    record(game, WHOLE_GAME[2])
    for position in (2, 3):
        page = plain.get(url(game, "entry", position)).content.decode()
        assert 'name="sure"' not in page
        answer = send(plain, game, "entry", position, action="withdraw")
        assert answer.status_code == HTTPStatus.FOUND
    assert reload(game).positions == (0, 1)


def version_fields(phone, game, name, *more):
    """Return the hidden version fields of a page's form."""
    page = phone.get(url(game, name, *more)).content.decode()
    return {n: re.search(rf'name="{n}" value="([^"]*)"', page)[1] for n in ("revision", "version")}


def correct_queens(phone, game, seen, **more):
    fields = fields_of(deal("no-queens", 3, 0, 1, 0)) | {"type": "deal", "action": "correct"}
    return phone.post(url(game, "entry", 1), fields | seen | more)


@pytest.mark.parametrize(
    ("meanwhile", "refusal"),
    [
        (lambda game: record(game, WHOLE_GAME[3]), None),
        (lambda game: change(game, 0, deal("heart-king", 1, 0, 0, 0)), None),
        (lambda game: change(game, 1, deal("no-queens", 3, 0, 1, 0)), None),
        (lambda game: change(game, 1, deal("no-queens", 0, 3, 1, 0)), "Someone else has written"),
        (lambda game: change(game, 1, None), "This line has been taken off"),
        (lambda game: change(game, 0, None), None),
    ],
    ids=["wrote", "corrected another", "the same", "otherwise", "took it off", "took another off"],
)
def test_correction_is_refused_only_where_the_same_line_has_changed(plain, meanwhile, refusal):
    game = game_with(3)
    seen = version_fields(plain, game, "entry", 1)
    meanwhile(game)
    before = reload(game)
    key = next(KEYS)
    first, again = (correct_queens(plain, game, seen, key=key) for _ in range(2))
    status = HTTPStatus.CONFLICT if refusal else HTTPStatus.FOUND
    assert (first.status_code, again.status_code) == (status, status)
    after = reload(game)
    if refusal:
        assert any(sentence.startswith(refusal) for sentence in sentences(first))
        assert after.row.revision == before.row.revision
    else:
        assert after.body(1)["counts"] == {"queens": [3, 0, 1, 0]}
        assert after.row.revision - before.row.revision == (before.body(1) != after.body(1))


def change(game, position, body):
    context = ContextFactory(revision=game.revision)
    if body is None:
        playing.withdraw_entry(game.pk, position, "", context)
    else:
        playing.correct_entry(game.pk, position, parse_entry(body), "", context)


@pytest.mark.parametrize(
    ("body", "off"),
    [
        (WHOLE_GAME[3], False),
        ({"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}, True),
    ],
)
def test_line_that_was_the_last_is_taken_off_unless_another_deal_came_after_it(plain, body, off):
    game = game_with(3)
    undo, seen = version_fields(plain, game, "write"), version_fields(plain, game, "entry", 2)
    record(game, body)
    for place, fields in (
        (url(game, "entry", 2), seen | {"action": "withdraw"}),
        (url(game, "undo"), undo | {"position": 2}),
    ):
        plain.post(place, fields | {"key": next(KEYS)})
        assert (2 not in reload(game).positions) == off


def test_names_are_changed_although_another_phone_wrote_a_deal_but_not_over_other_names(plain):
    game = game_with(1)
    seen = version_fields(plain, game, "head")
    record(game, WHOLE_GAME[1])
    for name, status in (("Aylin", HTTPStatus.FOUND), ("Aysel", HTTPStatus.CONFLICT)):
        fields = setup_fields(game, name0=name) | seen | {"key": next(KEYS)}
        assert plain.post(url(game, "head"), fields).status_code == status
    assert reload(game).row.players[0] == "Aylin"


@pytest.mark.parametrize(
    ("typed", "stored"), [("1/2", "1/2"), ("−50/3", "-50/3"), ("0,5", "1/2"), ("- 4/2", -2)]
)
def test_adjustment_takes_points_as_people_write_them(plain, typed, stored):
    game = game_with(1)
    send(plain, game, type="adjustment", seat="2", points=typed, reason="tournament")
    assert reload(game).body(1)["points"] == stored


@pytest.mark.parametrize("typed", ["", "x", "1/0", "1e9", "1/2/3", "½", "9" * 10, "1/2000"])
def test_adjustment_with_points_that_are_none_is_refused_beside_the_field(plain, typed):
    game = game_with(1)
    answer = send(plain, game, type="adjustment", seat="2", points=typed, reason="revoke")
    page = answer.content.decode()
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert len(re.findall(r'<ul class="errors"', page)) == 1
    assert len(re.findall(r'<ul class="errors" id="errors-points"', page)) == 1
    assert value_of(answer, "points") == typed
    assert 'aria-invalid="true" aria-describedby="errors-points"' in page
    assert "<details open><summary>Penalty points" in page
    assert reload(game).row.revision == 1


def test_game_is_stopped_only_for_a_reason_that_was_chosen(plain):
    game = game_with(3)
    page = plain.get(url(game, "write")).content.decode()
    options = page[page.index("Stop the game early") :].partition("</select>")[0]
    assert re.findall(r'<option value="([a-z]*)"', options)[0] == ""
    assert " selected" not in options
    answer = send(plain, game, type="stopped", reason="")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert re.findall(r'<ul class="errors"[^>]*>', answer.content.decode()) == [
        '<ul class="errors" id="errors-stop">'
    ]
    unsure = send(plain, game, type="stopped", reason="time")
    assert unsure.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert not reload(game).game.finished


def reasons(plain, deals, **head):
    page = plain.get(url(game_with(deals, **head), "write")).content.decode()
    listed = page[page.index('id="reasons"') :].partition("</ul>")[0]
    return re.findall(r"<li>([^<]+)</li>", listed)


def test_reasons_why_contracts_are_barred_are_shown_once_for_each_cause(plain):
    bloody = {"ruleset": "turkish-king-bloody", "options": {"order": "strict"}}
    assert reasons(plain, 0, **bloody) == [
        "Now: No tricks first.",
        "Trumps come after all penalties.",
    ]
    bloody["options"] = {"order": "ordered"}
    assert reasons(plain, 0, **bloody) == ["Now: No tricks first."]
    assert reasons(plain, 14) == [
        "Played out: No tricks, No men, No queens, Rıfkı (king of hearts)."
    ]


def test_corrected_line_is_marked_with_the_totals_before_and_after(plain):
    game = game_with(3)
    fields = {"type": "deal", "contract": "heart-king", "why": "Burak took it"}
    answer = send(plain, game, "entry", 0, action="correct", **fields, **{"count-heart_king-1": 1})
    assert answer.url.endswith("#corrected")
    mark = re.compile(
        r'<tr class="marks moved" id="corrected" data-position="0">(.*?)</tr>', re.DOTALL
    )
    page = plain.get(url(game, "write")).content.decode()
    moved = re.findall(r"<span>(\S+) (\S+) → <b>(\S+)</b>", mark.search(page)[1])
    assert moved == [("Burak", "−60", "−380"), ("Cem", "−700", "−380")]
    assert page.count('class="corrected"') == 1
    versions = plain.get(url(game, "entry", 0)).content.decode()
    for word in ("<strong>written</strong> · Ayşe", "<strong>corrected</strong>", "Burak took it"):
        assert word in versions
    record(game, WHOLE_GAME[3])
    assert not mark.search(plain.get(url(game, "write")).content.decode())


def test_line_that_cannot_be_taken_off_says_why_and_asks_nothing(plain):
    game = game_with(19)
    page = plain.get(url(game, "entry", 3)).content.decode()
    assert "This line cannot be taken off the sheet; correct it instead." in page
    assert re.search(r"Then deal \d+ would no longer fit:", page)
    assert 'name="sure"' not in page
    assert 'value="withdraw"' not in page


def steps(plain, game):
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
        (
            "Deal 2 corrected · No queens · Ayşe 1, Burak 0, Cem 2, Deniz 1"
            " → No queens · Ayşe 2, Burak 0, Cem 1, Deniz 1 Cem took one"
        ),
        "Deal 2 written · Ayşe · No queens · Ayşe 1, Burak 0, Cem 2, Deniz 1",
        "Deal 1 written · Ayşe · Rıfkı (king of hearts) · Ayşe 0, Burak 0, Cem 1, Deniz 0",
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


def test_history_shows_changes_of_the_setup(plain, other):
    game = game_with(0)
    changes = {"name0": "Aylin", "first_declarer": 2, "king": "off", "place": "Moda"}
    answer = send(plain, game, "head", holder="1", **setup_fields(game, **changes))
    assert answer.status_code == HTTPStatus.FOUND
    # What a phone that is open gets: its heading, which nobody sees, names them anew, too.
    fragment = other.get(url(game, "write"), HTTP_HX_REQUEST="true").text
    assert re.search("<h1[^>]*>[^<]*Aylin, Burak, Cem", fragment)
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


ASKS = 'aria-labelledby="who-title" data-asks'


def started_by(phone):
    names = {f"name{seat}": name for seat, name in enumerate(("Deniz", "Çağrı", "İnci", "Işıl"))}
    said = {"ruleset": "turkish-king", "first_declarer": "0", "key": next(KEYS)}
    return phone.post("/new/", names | said).url


def test_shared_address_asks_once_and_the_phone_that_started_the_game_never(plain, other):
    table = started_by(plain)
    assert ASKS not in plain.get(table).content.decode()
    assert [ASKS in other.get(table).content.decode() for _ in range(2)] == [True, False]

    game = game_with(1)
    pages = [other.get(address(game, "follow")).content.decode() for _ in range(2)]
    assert [ASKS in page for page in pages] == [True, False]


def test_phone_that_takes_over_the_scoring_is_asked(plain):
    game = game_with(1)
    path = f"/take/{game.public_id}/{game.secret('pen')}/"
    page = plain.post(path, {"key": next(KEYS)}, follow=True)
    assert ASKS in page.content.decode()
    game.refresh_from_db()
    send(plain, game, **fields_of(WHOLE_GAME[1]))
    # The history says it between the deals before and after.
    taken = ["took over the scoring" in line for line in steps(plain, game)]
    assert taken == [False, True, False]


def test_history_names_the_player_who_wrote(plain, other):
    game = game_with()
    for phone in (plain, other):
        phone.get(url(game, "write"))
    send(plain, game, **fields_of(WHOLE_GAME[0]))
    # Once this phone says whose it is, its first deal is known, too.
    send(plain, game, writer="1", **fields_of(WHOLE_GAME[1]))
    for nobody in ("4", "-1", "", "1x", "9" * 400):
        send(other, game, writer=nobody, **fields_of(WHOLE_GAME[2]))
        send(other, game, "undo", position=game.revision, writer=nobody)
    written = [line.split(" · ")[1] for line in reversed(steps(plain, game))]
    assert written[:3] == [game.players[1], game.players[1], "phone 2"]
    assert set(Revision.objects.values_list("author", flat=True)) == {"", game.players[1]}


def test_other_phones_hear_who_wrote(plain, other):
    game = game_with()
    send(plain, game, writer="0", **fields_of(WHOLE_GAME[0]))
    assert f'data-news="{game.players[0]} has written deal 1."' in page_of(other, game)
    send(plain, game, "head", writer="3", **setup_fields(game, name0="Aylin"))
    assert f'data-news="{game.players[3]} has changed' in page_of(other, game)
    # A program may name somebody else.
    record(game, WHOLE_GAME[1], author="Zeki")
    assert 'data-news="Another phone has written deal 2."' in page_of(other, game)


FORM = re.compile(r'data-outbox="now">(?:(?!</form>).)*?class="undo redo"', re.DOTALL)
FIELD = re.compile(r'name="([^"]+)" value="([^"]*)"')


def redo_at(phone, game):
    found = FORM.search(phone.get(url(game, "write")).content.decode())
    return found and dict(FIELD.findall(found.group()))


def redo(phone, game):
    fields = redo_at(phone, game)
    del fields["key"]
    return send(phone, game, **fields)


def undo(phone, game):
    send(phone, game, "undo", position=reload(game).positions[-1])


def bodies_of(game):
    sheet = reload(game)
    return [sheet.body(position) for position in sheet.positions]


def test_entries_that_were_undone_are_redone_in_turn(plain):
    game = game_with(3)
    assert redo_at(plain, game) is None
    undo(plain, game)
    undo(plain, game)
    redo(plain, game)
    redo(plain, game)
    assert bodies_of(game) == list(WHOLE_GAME[:3])
    assert redo_at(plain, game) is None


def test_nothing_is_redone_after_another_entry(plain):
    game = game_with(2)
    undo(plain, game)
    record(game, WHOLE_GAME[2])
    assert redo_at(plain, game) is None
    # A line that was taken off from the middle is not the last thing done.
    send(plain, game, "entry", 0, action="withdraw", sure="yes")
    assert redo_at(plain, game) is None


@pytest.mark.parametrize(
    ("ruleset", "body"),
    [
        ("turkish-king", {"type": "void", "reason": "misdeal", "note": "eksik kâğıt"}),
        ("turkish-king", {"type": "redeal", "by": 2, "reason": "misdeal"}),
        (
            "turkish-king",
            {"type": "adjustment", "seat": 2, "points": "-1/2", "to": "others", "reason": "revoke"},
        ),
        ("turkish-king", {"type": "stopped", "reason": "time"}),
        ("turkish-king", deal("no-hearts", 13, 0, 0, 0, king=0)),
        ("turkish-king-blind", deal("trump", 6, 4, 1, 2, trump="hearts")),
        ("euchre", {"type": "passed"}),
        ("euchre", {"type": "deal", "maker": 1, "tricks": 5, "alone": True, "trump": "clubs"}),
    ],
)
def test_every_kind_of_entry_is_redone_as_it_was(plain, ruleset, body):
    game = table_of(ruleset, body)
    written = bodies_of(game)
    undo(plain, game)
    assert bodies_of(game) == []
    redo(plain, game)
    assert bodies_of(game) == written
