import re

from django.urls import reverse

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, SetupFactory, reload
from tests.phones import TEMPLATES
from tournaments.web.base.phone import address

KEYS = (f"key-of-the-phone-{n:04}" for n in range(10_000))


def game_with(deals=0, **head):
    return reload(GameFactory(head=SetupFactory(**head), entries=WHOLE_GAME[:deals])).row


def table_of(ruleset, *entries, players=NAMES, first_declarer=0, **options):
    head = SetupFactory(
        ruleset=ruleset, players=players, first_declarer=first_declarer, options=options
    )
    return reload(GameFactory(head=head, entries=entries)).row


def table_of_record(record):
    return table_of(
        record["ruleset"],
        *record["entries"],
        players=record["players"],
        first_declarer=record.get("first_declarer", 0),
        **record.get("options", {}),
    )


def last(game):
    sheet = reload(game)
    return sheet.body(sheet.positions[-1])


def totals(game):
    return reload(game).game.totals


# What a phone sends.


def url(game, name, *more):
    return reverse(name, args=[game.public_id, game.secret("write"), *more])


def fields_of(body):
    """Return the fields of a form, which asks for the suit; the example may leave it out."""
    fields = {"trump": "spades"} if body["contract"] == "trump" else {}
    fields |= {name: body[name] for name in ("contract", "trump") if name in body}
    for unit, counts in body["counts"].items():
        fields |= {f"count-{unit}-{seat}": count for seat, count in enumerate(counts)}
    return fields


def setup_fields(game, **changes):
    names = {f"name{seat}": name for seat, name in enumerate(game.players)}
    return names | {"first_declarer": game.first_declarer} | changes


def send(phone, game, name="record", *more, **fields):
    game.refresh_from_db()
    context = {"key": next(KEYS), "revision": game.revision, "type": "deal"}
    return phone.post(url(game, name, *more), context | fields)


def follow(phone, game, etag=None):
    headers = {"HTTP_IF_NONE_MATCH": etag} if etag else {}
    return phone.get(address(game, "follow"), **headers)


# What a page shows.


def page_of(client, game, *more):
    return client.get(url(game, *(more or ["write"]))).content.decode()


def sentences(answer):
    page = answer.content.decode()
    found = re.findall(r"<li>([^<]+)</li>", page) + re.findall(r"<p>([^<]+)</p>", page)
    return [sentence.replace("&#x27;", "'") for sentence in found]


def value_of(answer, name):
    return re.search(rf'name="{name}" value="([^"]*)"', answer.content.decode())[1]


def ticked(page, name):
    inputs = re.findall(rf'<input[^>]*name="{name}"[^>]*>', TEMPLATES.sub("", page))
    return [re.search(r'value="([^"]*)"', i)[1] for i in inputs if " checked" in i]
