from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest
from django.utils import timezone

from tests.tournament_builders import play
from tests.web.rounds.going import going, next_round, of_all, table
from tournaments.models import Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import close_round


def test_next_round_is_seated_published_and_running_in_four_clicks(director, club):
    round_ = going(club, minutes=60)
    play(round_)
    clicks = Clicks(director, of_all("entrants", round_))

    clicks.press("next/")
    assert (clicks.count, Tournament.objects.get().event.rounds.get().state) == (1, "closed")
    clicks.press("next/")
    clicks.press("next/")
    latest = Tournament.objects.get().event.rounds.get(number=2)
    assert (clicks.count, latest.state) == (3, "published")
    clicks.press("next/")
    latest.refresh_from_db()
    assert (clicks.count, latest.state, bool(latest.clock_started_at)) == (4, "open", True)


@pytest.mark.parametrize("start", ["tournament", "entrants", "standings", "rulings"])
def test_result_of_an_earlier_round_is_corrected_in_four_clicks(director, club, start):
    round_ = going(club)
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    play(next_round(round_.event.tournament))
    game = table(round_, 2).games.get()
    clicks = Clicks(director, of_all(start, round_))

    clicks.follow("/standings/")
    clicks.follow("rounds/1/tables/2/sheet/")
    assert "Call the director" not in clicks.page.text
    assert of_all("running_table", round_, 1, 2) in clicks.page.text
    clicks.follow("entries/19/")
    clicks.press(button=("action", "withdraw"), why="not played", sure="yes")

    game.refresh_from_db()
    assert (clicks.count, game.revision) == (4, 21)


def test_walk_in_is_seated_in_four_clicks_and_an_entrant_withdrawn_in_three(director, club):
    round_ = going(club, tables=2)
    clicks = Clicks(director, of_all("tournament", round_))

    clicks.follow("/entrants/")
    clicks.follow("/entrants/add/")
    clicks.press(button=("seat", "1"), name="Yeni Gelen")
    clicks.press(button=("do", "out"))
    walk_in = round_.event.tournament.entrants.get(number=9)
    assert (clicks.count, walk_in.player.name) == (4, "Yeni Gelen")
    assert walk_in.sittings.get().round == round_

    play(round_)
    clicks.count = 0
    clicks.follow("/entrants/")
    clicks.follow("/entrants/9/")
    clicks.press("withdraw/")
    walk_in.refresh_from_db()
    assert (clicks.count, bool(walk_in.withdrawn_at)) == (3, True)


FILLED = ("hidden", "text", "number", "radio", "checkbox")


class _Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.forms = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "form":
            self.forms.append({"action": given.get("action") or "", "sends": {}, "buttons": []})
        if not self.forms:
            return
        form = self.forms[-1]
        if tag == "input" and given.get("name") and _is_sent(given):
            form["sends"][given["name"]] = given.get("value") or ""
        if tag == "button":
            form["buttons"].append((given.get("name"), given.get("value") or ""))


def _is_sent(given):
    kind = given.get("type", "text")
    return kind in FILLED and (kind not in ("radio", "checkbox") or "checked" in given)


class Clicks:
    """Pages one after another from `start`; `count` is the number of clicks."""

    def __init__(self, browser, start):
        self.browser, self.count = browser, 0
        self._open(start)

    def _open(self, at):
        self.at, self.page = at, self.browser.get(at, follow=True)
        assert self.page.status_code == 200, at
        if self.page.redirect_chain:
            self.at = self.page.redirect_chain[-1][0]

    def follow(self, ends):
        found = (each for each in _Page(self.page.text).links if each.endswith(ends))
        self.count += 1
        self._open(urljoin(self.at, next(found)))

    def press(self, action="", button=(None, ""), **typed):
        forms = _Page(self.page.text).forms
        form = next(f for f in forms if f["action"].endswith(action) and button in f["buttons"])
        sends = form["sends"] | ({button[0]: button[1]} if button[0] else {}) | typed
        self.count += 1
        self.page = self.browser.post(urljoin(self.at, form["action"]), sends, follow=True)
        assert self.page.status_code == 200, self.page.status_code
        if self.page.redirect_chain:
            self.at = self.page.redirect_chain[-1][0]
