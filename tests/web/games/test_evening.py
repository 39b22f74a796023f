import re
from http import HTTPStatus

import pytest
from django.test import Client

from tests.club_factories import RoundFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, SetupFactory, record, record_all
from tests.match_builders import krapet, next_game, rematch, won_by
from tests.sample_games import load
from tests.web.games.table import follow, url
from tournaments.models import Game, Report
from tournaments.reports.documents import build_report
from tournaments.services.audit import NOBODY
from tournaments.services.documents.reporting import remake_documents
from tournaments.services.games import playing, tables
from tournaments.web.base.phone import address, evening_address


def played():
    return Game.objects.get(pk=GameFactory(entries=WHOLE_GAME).pk)


def leads(page):
    found = re.search(r'href="([^"]+)" data-goes-on', page.text)
    return found and found[1]


def test_follower_and_writer_are_led_to_the_next_game(phone):
    first = played()
    tags = {kind: phone.get(address(first, kind))["ETag"] for kind in ("follow", "write")}
    second, _ = rematch(first)

    for kind, etag in tags.items():
        page = phone.get(address(first, kind), headers={"if-none-match": etag})
        assert page.status_code == HTTPStatus.OK
        assert "The evening goes on: game 2" in page.text
        assert "Rematch" not in page.text
    # The client's cookie knows the first game as written.
    assert leads(phone.get(address(first, "follow"))) == address(second, "write")
    assert leads(Client().get(address(first, "follow"))) == address(second, "follow")
    assert "Game 2 has begun" in follow(Client(), second).text
    assert leads(phone.get(address(second, "write"))) is None


def test_old_sheet_leads_to_the_last_game(plain):
    first = played()
    third, _ = rematch(rematch(first)[0], key="pressed-after-the-second-game")

    assert "The evening goes on: game 3" in plain.get(address(first, "write")).text
    assert leads(plain.get(address(first, "write"))) == address(third, "write")


def test_evening_leads_to_the_running_game_and_else_shows_itself(plain, other):
    first = played()
    shared = evening_address(first.open_table)
    assert "1 game finished" in other.get(shared).text

    second, _ = rematch(first)
    plain.get(address(first, "write"))

    assert other.get(shared).url == address(second, "follow")
    # Whoever wrote the last game writes the next.
    assert plain.get(shared).url == address(second, "write")
    assert address(first, "follow") in other.get(f"{shared}games/").text


def test_open_evening_hears_of_deals_and_goes_to_the_next_game(phone):
    first = GameFactory(entries=WHOLE_GAME[:19])
    games = evening_address(first.open_table) + "games/"
    page = phone.get(games)
    again = {"if-none-match": page["ETag"]}
    assert phone.get(f"{games}?from=1", headers=again).status_code == HTTPStatus.NOT_MODIFIED

    record(first, WHOLE_GAME[19])
    assert phone.get(f"{games}?from=1", headers=again).status_code == HTTPStatus.OK
    second, _ = rematch(first)

    answer = phone.get(f"{games}?from=1", headers=again)
    assert answer["HX-Redirect"] == address(second, "follow")
    again = {"if-none-match": phone.get(f"{games}?from=2")["ETag"]}
    assert phone.get(f"{games}?from=2", headers=again).status_code == HTTPStatus.NOT_MODIFIED
    # Now this phone writes, and its links lead elsewhere.
    phone.get(address(second, "write"))
    assert phone.get(f"{games}?from=2", headers=again).status_code == HTTPStatus.OK


def test_sheet_of_a_clubs_game_has_no_evening(plain):
    game = TableFactory(entries=WHOLE_GAME).games.get()

    page = plain.get(address(game, "follow"))

    assert "/evening/" not in page.text
    assert "/evening/" not in plain.get(url(game, "pen")).text


def evening_with(*tables):
    game = None
    for number, players in enumerate(tables):
        if game is None:
            game = GameFactory(head=SetupFactory(players=players))
        else:
            game, _ = rematch(game, key=f"key-of-the-game-{number:08}", players=players)
        record_all(game, WHOLE_GAME)
    return game


def tally_of(page):
    rows = re.search(r"(?s)<tbody>.*?</tbody>", page.text)[0].split("<tr>")[1:]
    words = [re.sub(r"<span class=\"visually-hidden\">[^<]*</span>", "", row) for row in rows]
    return [re.sub(r"<[^>]+>", " ", row).split() for row in words]


OTHERS = ("Ayşe", "Elif", "Cem", "Deniz")


def test_tally_has_places_games_won_points_and_average(plain):
    game = evening_with(NAMES, OTHERS, NAMES)

    page = plain.get(evening_address(game.open_table))

    assert "In the lead: Ayşe" in page.text
    assert "3 games finished" in page.text
    assert tally_of(page) == [
        ["Ayşe", "1", "1", "1", "3", "1620", "540"],
        ["Elif", "sank", "once", "–", "3", "–", "0", "−110", "−110"],
        ["Burak", "sank", "2", "times", "3", "–", "3", "0", "−220", "−110"],
        ["Deniz", "sank", "3", "times", "2", "2", "2", "0", "−300", "−100"],
        ["Cem", "sank", "3", "times", "4", "4", "4", "0", "−990", "−330"],
    ]
    assert [course["name"] for course in page.context["chart"]["courses"]] == [*NAMES, "Elif"]


def test_many_games_are_counted_by_place(plain):
    game = evening_with(*[NAMES] * 4, OTHERS)

    page = plain.get(evening_address(game.open_table))

    assert tally_of(page)[0] == ["Ayşe", "5", "0", "0", "0", "5", "2700", "540"]
    assert tally_of(page)[-1] == [
        "Cem",
        "sank",
        "5",
        "times",
        "0",
        "0",
        "0",
        "5",
        "0",
        "−1650",
        "−330",
    ]


def test_match_of_the_evening_has_its_score(plain):
    game = krapet()
    record(game, won_by(0))
    after, _ = next_game(game)
    record(after, won_by(0))

    page = plain.get(evening_address(game.open_table))

    assert "Match won: Ayşe" in page.text
    assert tally_of(page)[0][:4] == ["Ayşe", "1", "1", "2"]


def test_stakes_of_all_games_are_settled_together_and_one_by_one(plain):
    italian = load("italian-king-whole")
    head = SetupFactory(ruleset="italian-king", players=NAMES, options={"stake": "1/10"})
    game = GameFactory(head=head, entries=italian["entries"])
    after, _ = rematch(game, options={"stake": "1/10"}, players=NAMES)
    record_all(after, italian["entries"])

    page = plain.get(evening_address(game.open_table))

    alone, evening = (
        [str(paid) for paid in page.context["evening"].lines[0].payments],
        [str(paid) for paid in page.context["evening"].payments],
    )
    assert len(alone) == len(evening) > 0
    assert all(line in page.text for line in (*alone, *evening))

    def amounts(lines):
        return sorted(float(line.split()[-1]) for line in lines)

    assert amounts(evening) == [pytest.approx(2 * each) for each in amounts(alone)]


def test_evening_as_text_has_tally_and_games(plain):
    game = evening_with(NAMES, OTHERS)

    text = plain.get(evening_address(game.open_table) + "text/").text

    assert text.splitlines()[:3] == ["In the lead: Ayşe", "2 games finished", ""]
    assert "Ayşe: won 2, 1080 (540 a game) · 1 1" in text
    assert "Elif: won 0, sank once, −110 (−110 a game) · – 3" in text
    assert "2. Out: Ayşe · King · Ayşe 540, Elif −110, Cem −330, Deniz −100" in text


def test_evening_is_printed_on_one_sheet(plain, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    game = evening_with(NAMES, OTHERS)
    path = evening_address(game.open_table) + "document/"

    page = plain.post(path, follow=True)

    report = Report.objects.get()
    assert (report.kind, report.game) == ("evening", game)
    assert evening_address(game.open_table) + "games/" in page.text
    build_report(report.pk)
    report.refresh_from_db()
    with report.file.open("rb") as file:
        assert file.read(5) == b"%PDF-"
    # No document keeps the names of a game that was deleted.
    playing.delete_game(game.open_table.games.get(number=1).pk)
    assert not Report.objects.exists()


def test_club_that_has_to_remove_a_name_makes_the_evening_anew(plain):
    game = evening_with(NAMES, NAMES)
    plain.post(evening_address(game.open_table) + "document/")
    round_ = RoundFactory()
    tables.adopt_game(game.open_table.games.get(number=1).pk, round_.pk, NAMES, NOBODY, at=EVENING)
    Report.objects.update(state="done", file="reports/evening.pdf")

    remake_documents(round_.event.club, EVENING)

    assert not Report.objects.exists()
