import io
import re
from datetime import timedelta

import pytest
from django.utils import timezone, translation
from openpyxl import load_workbook

from tests.club_factories import TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tests.reports.asked import HOST, asked, silent
from tests.reports.conftest import PAPERS
from tests.tournament_builders import NINE, closed, published, register, running, seated
from tournaments.engine.documents.games import letters_of
from tournaments.models import Entrant, Event, Player, Report, Round
from tournaments.models.people import name_order
from tournaments.origin import qr_code
from tournaments.reports import hall
from tournaments.reports.documents import compose
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, withdraw_entrant
from tournaments.services.rounds.seating import publish_round

pytestmark = pytest.mark.django_db


Kind, Audience = Report.Kind, Report.Audience


def card(table, first, *names):
    url = f"{HOST}table/{table.public_id}/{table.secret}/"
    return {
        "number": str(table.number),
        "game": "King",
        "seats": list(names),
        "begins": first,
        "says": "declares first",
        "clockwise": False,
        "url": url,
    }


def without_code(card):
    assert card["qr"].startswith("<svg")
    assert card["caption"] == f"QR code of table {card['number']}"
    return {key: value for key, value in card.items() if key not in ("qr", "caption")}


def test_cards_name_who_sits_where_and_lead_to_the_doors():
    table = TableFactory(number=1)
    other = TableFactory(number=2, round=table.round, players=["Elif", "Fatma", "Gül", "Hakan"])
    table.games.update(first_declarer=2)
    report = asked(table.round.event, Kind.TABLE_CARDS, round=table.round.number)

    (data,) = hall.compose_table_cards(report, silent)["parts"]

    assert [without_code(each) for each in data["cards"]] == [
        card(table, 2, *NAMES),
        card(other, 0, "Elif", "Fatma", "Gül", "Hakan"),
    ]
    assert data["round"] == f"Round {table.round.number}"
    assert table.secret not in str(Report.objects.values_list("parameters", "content_key").get())


def test_card_tells_of_the_code_and_never_the_code():
    table = TableFactory(round__event__table_codes=True)
    report = asked(table.round.event, Kind.TABLE_CARDS, round=table.round.number)

    (data,) = hall.compose_table_cards(report, silent)["parts"]

    assert data["words"]["use"].endswith("The director says the four digits.")
    assert table.code not in str(data["words"]) + str(data["cards"][0]["seats"])


@pytest.mark.parametrize(
    "kind", [Kind.TABLE_CARDS, Kind.ROUND_PAPERS, Kind.NAME_BADGES, Kind.CERTIFICATES]
)
def test_what_is_for_directors_is_made_for_nobody_else(kind):
    event = running(*NINE).event
    with pytest.raises(ValueError, match="directors only"):
        compose(asked(event, kind, Audience.MEMBERS, round=1), silent)


def test_seating_that_is_not_published_is_for_directors_only():
    row = running(*NINE)
    round_ = seated(row)

    for_all = asked(row.event, Kind.SEATING_BY_NAME, Audience.VISITORS, round=1)
    with pytest.raises(ValueError, match="not published"):
        compose(for_all, silent)
    seating, byes = hall.seats_of(hall.round_of(asked(row.event, Kind.SEATING_BY_NAME, round=1)))

    names = {f"e{n}": name for n, name in enumerate(NINE, 1)}
    tables = [[names[key] for key in table] for table in round_.seating["tables"]]
    assert list(seating.values()) == tables
    assert byes == [names[key] for key in round_.seating["byes"]]
    (cards,) = hall.compose_table_cards(asked(row.event, Kind.TABLE_CARDS, round=1), silent)[
        "parts"
    ]
    assert cards["cards"] == []


def test_published_seating_is_as_it_was_proposed_and_names_follow_wishes():
    row = running(*NINE)
    seated(row)
    report = asked(row.event, Kind.SEATING_BY_TABLE, Audience.VISITORS, round=1)
    round_ = row.event.rounds.select_related("event__tournament").get()
    proposed = hall.seats_of(round_)
    publish_round(round_.pk, NOBODY, at=EVENING)

    assert hall.seats_of(hall.round_of(report)) == proposed
    out = proposed[1][0]
    Player.objects.filter(name=out).update(initials=True)
    assert hall.seats_of(hall.round_of(report))[1] == ["O. " + out.split()[1] + "."]


@pytest.mark.parametrize(
    ("language", "order"),
    [
        ("tr", "Ahu Can Cüneyt Çağ Çınar Dağ Ilgın Işıl İnci İz Naz Oya Öz Şule Ufuk Ülkü Zoë"),
        ("it", "Ahu Çağ Can Çınar Cüneyt Dağ Ilgın İnci Işıl İz Naz Oya Öz Şule Ufuk Ülkü Zoë"),
        ("en", "Ahu Çağ Can Çınar Cüneyt Dağ Ilgın İnci Işıl İz Naz Oya Öz Şule Ufuk Ülkü Zoë"),
        ("tr", "ISI#ısı#IŞIL#ıtır#İBRAHİM#İREM#ümit#Василий"),
        ("tr", "Ali-Can#Ali Zor#Alican#Âlim#Aliye"),
        ("it", "Nicola Verdi#Nicolà Verdi#Nicolo#Nicolò"),
    ],
)
def test_names_stand_as_the_language_sorts_them(language, order):
    names = order.split("#" if "#" in order else " ")

    mixed = names[::-1]
    with translation.override(language):
        assert sorted(mixed, key=name_order) == names


def test_badges_are_for_who_plays_in_the_order_of_names():
    row = running("Deniz Kaya", "Şule Ak", "Cem Er", "Sena Ok", "Elif Su")
    Entrant.objects.filter(number=2).update(team="Rıfkıcılar", represents="Moda")
    withdraw_entrant(Entrant.objects.get(number=5).pk, NOBODY, at=EVENING)

    with translation.override("tr"):
        data = hall.compose_name_badges(asked(row.event, Kind.NAME_BADGES), silent)

    at = f"{HOST}clubs/{row.event.club.slug}/tournaments/{row.slug}/entrants/?q="
    assert data["badges"] == [
        {"name": "Cem Er", "team": "", "number": "№ 3", "qr": qr_code(f"{at}3")},
        {"name": "Deniz Kaya", "team": "", "number": "№ 1", "qr": qr_code(f"{at}1")},
        {"name": "Sena Ok", "team": "", "number": "№ 4", "qr": qr_code(f"{at}4")},
        {
            "name": "Şule Ak",
            "team": "Rıfkıcılar · Moda",
            "number": "№ 2",
            "qr": qr_code(f"{at}2"),
        },
    ]
    assert data["blank"] == 6


def test_first_three_get_certificates_and_equals_share_theirs():
    row = running("Ayşe", "Burak", "Cem", "Deniz", rounds=2)
    assert hall.compose_certificates(asked(row.event, Kind.CERTIFICATES), silent)["items"] == []
    round_ = closed(row, WHOLE_GAME)
    register(row, "Never played")

    data = hall.compose_certificates(asked(row.event, Kind.CERTIFICATES), silent)

    seats = round_.tables.get().games.get().players
    first, third = data["items"][0], data["items"][2]
    # The whole game ends 540/−110/−330/−100.
    names = [(item["name"], item["place"]) for item in data["items"]]
    assert names == [
        (seats[0], "First place"),
        (seats[3], "Second place"),
        (seats[1], "Third place"),
    ]
    code = letters_of(Round.objects.get().digest)
    assert first["lines"] == [
        "Moda Açık",
        f"20 November 2026 · after: Round 1 · Code: {code}",
        "540 points, 4 entrants",
    ]
    assert third["lines"][2] == "−110 points, 4 entrants"


def test_each_of_a_pair_gets_a_certificate():
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    row = running(*pairs, ruleset="turkish-king-partners", rounds=1)
    closed(row, [{"type": "stopped", "reason": "time"}])

    items = hall.compose_certificates(asked(row.event, Kind.CERTIFICATES), silent)["items"]

    assert {(item["name"], item["place"]) for item in items} == {
        (name, "First place, shared") for name in NAMES
    }
    assert [item["lines"][2].split(" · ")[1] for item in items if item["name"] == "Ayşe"] == [
        "with Burak"
    ]


Kind, Format = Report.Kind, Report.Format


@pytest.fixture
def made(tmp_path):
    def make(event, kind, form=Format.PDF, language="en", **parameters):
        report = asked(event, kind, **parameters)
        report.format = form
        with translation.override(language):
            compose(report, silent).write(tmp_path / "file", silent)
        return (tmp_path / "file").read_bytes()

    return make


@pytest.mark.parametrize("paper", PAPERS)
def test_each_kind_is_set_as_tagged_pages_with_its_fonts(pdf, made, paper):
    row = running(*NINE)
    closed(row, WHOLE_GAME)
    event = row.event
    event.club.paper = paper
    pages = {Kind.TABLE_CARDS: 1, Kind.NAME_BADGES: 1, Kind.CERTIFICATES: 3}

    for kind in (*pages, Kind.SEATING_BY_NAME, Kind.SEATING_BY_TABLE):
        page = pdf(made(event, kind, round=1))
        assert (kind, page.pages) == (kind, pages.get(kind, 1))
        wanted = PAPERS[paper][::-1] if kind == Kind.CERTIFICATES else PAPERS[paper]
        assert (page.size, page.is_tagged) == (wanted, True)
        assert set(page.fonts.values()) == {True}
        assert event.name in page.text


LONG = "Muhteşem Süleyman Efendizadeoğulları-Kırıkkanatoğulları"


@pytest.mark.parametrize(
    ("people", "name", "pages"),
    [
        (19, "Işıl Güneş", (1, 1)),
        (20, LONG, (1, 1)),
        (23, "İ" * 70, (1, 2)),
        (40, "Işıl Güneş", (1, 1)),
        (70, LONG, (3, 2)),
        (165, "Işıl Güneş", (3, 2)),
    ],
)
def test_posters_fill_their_pages_and_cut_no_name(pdf, made, people, name, pages):
    names = [f"{name} {number}" for number in range(people)]
    table = TableFactory(number=1, players=names[:4], round__event__venue="Moda")
    rest = [names[at : at + 4] for at in range(4, people, 4)]
    for number, players in enumerate(rest, 2):
        four = [*players, *(f"Ev {n}" for n in range(4 - len(players)))]
        TableFactory(round=table.round, number=number, players=four)

    for kind, needed in zip((Kind.SEATING_BY_NAME, Kind.SEATING_BY_TABLE), pages, strict=True):
        poster = pdf(made(table.round.event, kind, round=table.round.number))
        on_pages = [page.extract_text() for page in poster.reader.pages]
        last = re.findall(r"(?<!\d)\d+(?!\d)", on_pages[-1])
        assert (kind, poster.pages) == (kind, needed)
        assert len(last) > 8
        text = re.sub(r"[\s\u200b]", "", "".join(on_pages))
        assert [each for each in names if each.replace(" ", "") not in text] == []
        assert "…" not in text


def test_everything_for_a_round_is_one_document(pdf, made):
    row = running(*NINE, rounds=3, hide_last=True)
    closed(row, WHOLE_GAME)
    proposed = seated(row)

    def pages(**more):
        papers = pdf(made(row.event, Kind.ROUND_PAPERS, round=2, **more))
        titles = ("Seat", "Not finished", "Scan this", "Standings", "not published yet")
        texts = [page.extract_text() for page in papers.reader.pages]
        assert papers.is_tagged
        return [[title for title in titles if title in text] for text in texts]

    assert pages() == [["Seat", "not published yet"], ["Seat", "not published yet"], ["Standings"]]
    publish_round(proposed.pk, NOBODY, at=EVENING)
    assert pages() == [["Seat"], ["Seat"], ["Standings"], ["Scan this"]]
    assert pages(sheets=True)[4:] == [["Not finished"]] * 2


def test_each_round_has_its_own_hour():
    row = running(*NINE, rounds=3)
    Event.objects.filter(pk=row.event_id).update(starts_at="14:00", venue="Lokal")
    rounds = [closed(row), closed(row), seated(row)]
    expected = ["Round 1 · 14:00", f"Round 2 · {timezone.localtime(EVENING):%H:%M}", "Round 3"]
    for round_, line in zip(rounds, expected, strict=True):
        report = asked(round_.event, Kind.SEATING_BY_NAME, round=round_.number)
        report.event.refresh_from_db()
        (part,) = hall.seating_by_name(report, silent)["parts"]
        first, *_more, venue = part["lines"]
        assert (first, venue) == (line, "Lokal")
    # It was entered long afterwards.
    Round.objects.filter(number=2).update(opened_at=EVENING + timedelta(days=9))
    assert hall.hour_of(Round.objects.get(number=2)) == ""


def rows_of(workbook):
    return [list(row) for row in load_workbook(io.BytesIO(workbook)).active.values]


def test_seating_is_a_table_to_work_with(made):
    row = running(*NINE)
    round_ = published(row)
    (bye,) = round_.sittings.filter(table=None)
    tables = {t.number: t.games.get().players for t in round_.tables.all()}
    out = bye.entrant.player.name

    by_table = rows_of(made(row.event, Kind.SEATING_BY_TABLE, Format.XLSX, round=1))
    by_name = rows_of(made(row.event, Kind.SEATING_BY_NAME, Format.XLSX, round=1))
    text = made(row.event, Kind.SEATING_BY_NAME, Format.CSV, "tr", round=1).decode("utf-8-sig")

    assert by_table == [
        ["Table", "Seat 1", "Seat 2", "Seat 3", "Seat 4"],
        [1, *tables[1]],
        [2, *tables[2]],
        ["bye", out, None, None, None],
    ]
    seats = {
        name: [name, number, seat]
        for number, names in tables.items()
        for seat, name in enumerate(names, 1)
    } | {out: [out, "bye", None]}
    assert by_name == [["Player", "Table", "Seat"], *(seats[name] for name in NINE)]
    texts = {None: '""', "bye": '"bay"', "Oyuncu 1": '"Oyuncu 1"'}
    found = [str(texts.get(cell, cell)) for cell in seats["Oyuncu 1"]]
    assert text.splitlines()[1] == ";".join(found)
