import pytest
from django.utils import translation

from tests.deals import WHOLE_GAME, deal
from tournaments.reports.sheets import compose_scoresheet, written_date
from tournaments.reports.typesetting import typeset

FOLLOW_URL = "https://king.example/follow/abcdefghjk/0123456789abcdefghijklmn/"
KING = (*WHOLE_GAME[:5], deal("trump", 0, 0, 13, 0, trump="hearts"))


@pytest.fixture
def sheet(pdf):
    def build(record, language="tr"):
        with translation.override(language):
            return pdf(typeset("scoresheet.typ", compose_scoresheet(record, FOLLOW_URL)))

    return build


def compose(record, language="tr"):
    with translation.override(language):
        return compose_scoresheet(record, FOLLOW_URL)


def rows(data):
    """The rows of the table: number, contract, and units and total of each seat."""
    return [
        [row["number"], row["symbol"], *((c["units"], c["total"]) for c in row["cells"])]
        for row in data["rows"]
        if row["kind"] == "deal"
    ]


def test_sheet_shows_units_and_running_totals_of_every_deal(record):
    shown = rows(compose(record()))
    assert shown[0] == ["1", "♥K", ("0", "0"), ("0", "0"), ("1", "−320"), ("0", "0")]
    assert shown[5] == ["6", "+♥", ("1", "−170"), ("8", "240"), ("4", "−600"), ("0", "−20")]
    assert shown[19] == ["20", "+", ("2", "540"), ("0", "−110"), ("4", "−330"), ("7", "−100")]
    assert len(shown) == 20


def test_sheet_gives_places_and_who_is_out(record):
    assert compose(record(), "en")["places"] == [
        {"rank": "1", "state": "out", "best": True},
        {"rank": "3", "state": "sunk", "best": False},
        {"rank": "4", "state": "sunk", "best": False},
        {"rank": "2", "state": "sunk", "best": False},
    ]


def test_sheet_names_the_winner_where_nobody_is_out_or_sunk(record):
    places = compose(record(ruleset="rifki"), "en")["places"]
    assert [place["state"] for place in places] == ["winner", "", "", ""]


def test_badges_stand_with_who_earned_them_and_in_which_deals(record):
    badges = compose(record(), "en")["badges"]
    assert [(badge["name"], badge["who"]) for badge in badges] == [
        (
            "Said it, ate it",
            [{"player": "Burak", "deals": "10"}, {"player": "Cem", "deals": "15"}],
        ),
        ("Ox-eye", [{"player": "Ayşe", "deals": "16"}]),
        ("Flower", [{"player": "Burak", "deals": "20"}, {"player": "Deniz", "deals": "6"}]),
        ("Phone plug", [{"player": "Ayşe", "deals": "20"}]),
    ]


def test_sheet_of_a_king_game_says_who_made_it_and_ends_there(sheet, record):
    data = compose(record(KING), "en")
    assert data["ending"] == "King by Cem in deal 6"
    assert len(data["rows"]) == 6
    assert [cell["king"] for cell in data["rows"][5]["cells"]] == [False, False, True, False]
    page = sheet(record(KING))
    assert "−220 −160 −150 −20" in page.text
    assert "Dış King" in page.text
    assert page.pages == 1


def test_sheet_of_a_failed_declared_king_says_so(record):
    failed = deal("trump", 1, 1, 10, 1, king_declared_by=2)
    data = compose(record([*WHOLE_GAME[:5], failed], options={"king": "declared"}), "en")
    assert data["ending"] == "King declared and missed by Cem in deal 6"
    assert data["subtitles"][0] == "King: must be declared before the first lead"


def test_sheet_of_an_unfinished_game_leaves_lines_for_the_rest(record):
    begun = record([*WHOLE_GAME[:7], {"type": "deal", "contract": "trump", "trump": "clubs"}])
    data = compose(begun, "en")
    assert data["ending"] == "Not finished: 7 of 20 deals"
    assert [row["number"] for row in data["rows"]] == [str(n) for n in range(1, 21)]
    assert rows(data)[7] == ["8", "+♣", *[("", "")] * 4]
    assert {place["state"] for place in data["places"]} == {""}


def test_sheet_shows_what_is_no_deal_between_the_deals(record):
    entries = [
        WHOLE_GAME[0],
        {"type": "void", "contract": "no-queens", "declarer": 1, "reason": "one-each"},
        {"type": "redeal", "by": 1, "reason": "misdeal"},
        {"type": "adjustment", "seat": 2, "points": -100, "to": "others", "reason": "revoke"},
    ]
    shown = compose(record(entries), "en")["rows"]
    assert [row["kind"] for row in shown[:5]] == ["deal", "slim", "slim", "adjustment", "deal"]
    assert shown[1]["text"] == "No queens · one queen each: played again"
    assert shown[2]["text"] == "Burak · misdeal: new cards"
    assert shown[3]["text"] == "Adjustment: revoke"
    assert [(cell["units"], cell["total"]) for cell in shown[3]["cells"]] == [
        ("+33⅓", "33⅓"),
        ("+33⅓", "33⅓"),
        ("−100", "−420"),
        ("+33⅓", "33⅓"),
    ]


AWKWARD = [
    '#let x = "boom"',
    "*bold* _it_ `raw` $x^2$ @ref <label> // no",
    '"}]} \\u{41} \\',
    "Ğışİ\u202eevil\n\nline",
]


def test_names_that_look_like_commands_are_printed_as_they_are(sheet, record):
    page = sheet(record(players=AWKWARD, title="#panic()", place="[#image(none)]"))
    assert page.pages == 1
    assert "#panic()" in page.text
    assert "[#image(none)]" in page.text
    assert '#let x = "boom"' in page.text
    assert "Ğışİevil line" in page.text


def test_control_characters_are_left_out(pdf, record):
    broken = compose(record()) | {"title": "\x00a\ud800\x1bb\u2028c"}
    assert pdf(typeset("scoresheet.typ", broken)).reader.metadata.title == "ab c"


def test_worst_sheet_stays_on_one_page(sheet, record):
    entries = [dict(entry) for entry in WHOLE_GAME]
    entries[0]["rifki_holder"], entries[11]["rifki_holder"] = 0, 1
    for seat in range(4):
        entries.insert(3, {"type": "redeal", "by": seat, "reason": "misdeal"})
        adjustment = {"seat": seat, "points": -100_000_000 - seat, "to": "others"}
        entries.insert(9, {"type": "adjustment", "reason": "reason " * 40, **adjustment})
    names = [f"Muhteşem Süleyman Efendizade von Hohenstein {letter * 200}" for letter in "ABCD"]
    page = sheet(record(entries, players=names, title="Türkiye " * 60, place="Kadıköy " * 60))
    assert page.pages == 1
    assert "…" in page.text


def test_document_says_title_author_language_and_is_tagged(sheet, record):
    reader = sheet(record(title="Perşembe kingi"), "it").reader
    assert reader.metadata.title == "Perşembe kingi"
    assert reader.metadata.author == "Kingscore"
    root = reader.trailer["/Root"]
    assert root["/Lang"] == "it"
    assert root["/MarkInfo"]["/Marked"]
    assert b"pdfuaid" in root["/Metadata"].get_data()


def test_follow_address_is_a_drawn_code_and_a_link(sheet, record):
    page = sheet(record())
    assert page.links == [FOLLOW_URL]
    assert page.images == []
    without = compose_scoresheet(record(), "")
    assert without["follow"] is None


@pytest.mark.parametrize(
    ("language", "written"),
    [("tr", "2 Mayıs 2026"), ("it", "2 maggio 2026"), ("en", "2 May 2026")],
)
def test_date_is_written_as_the_language_does(language, written):
    with translation.override(language):
        # In İstanbul, where the tests keep their clock, it is past midnight by then.
        assert written_date("2026-05-01T22:30:00+00:00") == written


def test_record_that_cannot_be_is_no_sheet(record):
    with pytest.raises(ValueError, match="wrong-total"):
        compose(record([deal("heart-king", 1, 1, 0, 0)]))
