"""Every field of every entry, sent all the way round: record, row, form, row and record."""

from html.parser import HTMLParser

import pytest

from tests.factories import GameFactory, SetupFactory, reload
from tests.rules_next.test_rules_next import load as load_next
from tests.sample_games import NAMES, load
from tests.web.games.table import url
from tournaments.engine.rules.entries import REMARKS
from tournaments.engine.rules.fields import DEAL

SEALED = {"sealed", "salt"}
"""The proof of a sealed contract is written by the phone and never corrected."""


OF_ITSELF = {"declarer", "tricks_played"}
"""Fields that the page leaves out where the turn, or the whole of 13 tricks, says the same."""

IN_HEAD = ("ruleset", "options", "players", "first_declarer")


class Sent(HTMLParser):
    """Return the fields of an entry form as a browser without scripts sends them."""

    def __init__(self, page):
        super().__init__()
        self.values, self.inside, self.select = {}, False, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        about = dict(attrs)
        if tag == "form":
            self.inside = "entry" in about.get("class", "").split()
        elif self.inside and tag == "input":
            picked = about.get("type") not in ("radio", "checkbox") or "checked" in about
            if picked and "disabled" not in about:
                self.values[about["name"]] = about.get("value") or ""
        elif self.inside and tag == "select":
            self.select = about["name"]
        elif self.select and tag == "option":
            value = about.get("value", "")
            self.values[self.select] = (
                value if "selected" in about else self.values.get(self.select, value)
            )

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "form"
        self.select = None if tag == "select" else self.select


AUCTION, BIDS, DOUBLES = "portuguese-king-auction", "bid-euchre", "barbu-doubles"
RECORDS = {name: load(name) for name in NAMES}
RECORDS |= {name: load_next(f"{name}.game.json") for name in (AUCTION, BIDS, DOUBLES)}


def needed_entries():
    missing, found = set(DEAL) - SEALED, []
    for name, record in RECORDS.items():
        for number, entry in enumerate(record.get("entries", ())):
            new = (
                missing & entry.keys()
                if entry["type"] == "deal" and not SEALED & entry.keys()
                else ()
            )
            if new:
                missing -= new
                found.append((name, number))
    return found, missing


FOUND, MISSING = needed_entries()


def test_some_record_has_each_field_of_a_deal():
    assert set() == MISSING


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "number"), [*FOUND, (DOUBLES, 2)])
def test_form_of_a_deal_sends_back_every_field(client, name, number):
    record = RECORDS[name]
    head = {key: record[key] for key in IN_HEAD if key in record}
    entries = record["entries"][: number + 1]
    row = reload(GameFactory(head=SetupFactory(**head), entries=entries)).row
    place = url(row, "entry", number)
    remarks = dict.fromkeys(REMARKS, "Işıl’in “notu”")
    sent = Sent(client.get(place).content.decode()).values
    answer = client.post(place, {**sent, **remarks, "action": "correct"})
    assert answer.status_code == 302
    body = reload(row).body(number)
    expected = {**entries[-1], **remarks}
    left_out = {key: expected.pop(key) for key in OF_ITSELF - body.keys() if key in expected}
    assert {**body, "author": None} == {**expected, "author": None}
    assert left_out.get("tricks_played", 13) == 13
    again = Sent(client.get(place).content.decode()).values
    assert {name: again[name] for name in REMARKS} == remarks
