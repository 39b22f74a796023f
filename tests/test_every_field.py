"""Every described field, sent all the way round: API, row, form, page, document and import.

The fields come from their descriptions, so that a new one is tried without a line here.
"""

import json
from datetime import date
from itertools import islice

import pytest
from django.urls import reverse

from tests.api.conftest import Program
from tests.club_factories import ClubFactory, MemberFactory
from tests.factories import EVENING, GameFactory, SetupFactory
from tests.web.tournaments.forms import sent_by
from tournaments.engine.documents.shapes import EVENT_FIELDS, FREE_TEXTS, SHOWN
from tournaments.engine.documents.tournaments import write_tournament
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.engine.standings.tournament_settings import (
    SETTING_FIELDS,
    TournamentSettings,
    write_settings,
)
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditEntry, Club, Event, Game, Report, Season, Tournament
from tournaments.models.clubs import Role
from tournaments.reports.hall import hall_heading
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY
from tournaments.services.clubs.membership import CLUB_FIELDS
from tournaments.services.people.changes import remove_player
from tournaments.services.people.players import add_player
from tournaments.services.tournaments.record_import import Into, import_tournament
from tournaments.texts.questions import MEANINGLESS
from tournaments.web.base.phone import address

pytestmark = pytest.mark.django_db

RULESET = "turkish-king"


def candidates(schema):
    kind = schema.get("type")
    if "enum" in schema:
        yield from schema["enum"]
    elif kind == "boolean":
        yield from (True, False)
    elif schema.get("format") == "date":
        yield "2026-11-21"
    elif kind == "string":
        yield "Işıl’in ♥ “evi” & <bahçe> ".ljust(schema["maxLength"], "x")
    elif kind == "array":
        items = list(candidates(schema["items"]))
        yield items[::-1]
        yield items[-2:]
    elif "oneOf" in schema:
        for each in schema["oneOf"]:
            yield from candidates(each)
    elif "maximum" in schema:
        yield from (schema["maximum"] - 1, schema["maximum"])
    if "pattern" in schema:
        yield "5/2"


def another(name, shape, default=None):
    """Return a value that the shape allows, other than the default."""
    for value in shape.schema.get("examples") or candidates(shape.schema):
        if value != default and not shape.check(value):
            return value
    raise AssertionError(f"no value for {name}: {shape.schema}")


def event_values():
    defaults = {field.name: field.default for field in Event._meta.get_fields() if field.concrete}
    return {
        name: another(name, about.shape, defaults[name]) for name, about in EVENT_FIELDS.items()
    }


def setting_values():
    defaults = write_settings(TournamentSettings())
    return {n: another(n, about.shape, defaults[n]) for n, about in SETTING_FIELDS.items()}


def values_of(event):
    kept = {name: getattr(event, name) for name in EVENT_FIELDS}
    return {n: value.isoformat() if isinstance(value, date) else value for n, value in kept.items()}


def some_of(names, answer):
    return {name: answer[name] for name in names}


@pytest.fixture
def club():
    return ClubFactory(slug="moda", published=True)


@pytest.fixture
def director(client, club):
    client.user = MemberFactory(club=club, role=Role.DIRECTOR).user
    client.force_login(client.user)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def program(director):
    return Program().as_(director.user)


def assert_shown(page, values):
    for name in SHOWN:
        assert values[name] in page.context["event"].details, name
    assert "Işıl’in ♥ “evi” &amp; &lt;bahçe&gt;" in page.text


def test_fields_of_an_evening_go_all_the_way_round(director, program, club):
    values = event_values()
    made = program.post("clubs/moda/events/", {**values, "ruleset": RULESET})
    assert some_of(values, made.json()) == values
    first = Event.objects.get()
    assert values_of(first) == values
    assert some_of(values, program.get(f"clubs/moda/events/{first.public_id}/").json()) == values
    assert_shown(director.get(reverse("event", args=["moda", first.public_id])), values)

    form = director.get(reverse("change_event", args=["moda", first.public_id])).context["form"]
    director.post(reverse("new_event", args=["moda"]), sent_by(form))
    second = Event.objects.exclude(pk=first.pk).get()
    assert values_of(second) == values

    plain = {"name": "Salı", "held_on": "2026-11-17", "ruleset": RULESET}
    third = program.post("clubs/moda/events/", plain).json()
    changed = program.patch(f"clubs/moda/events/{third['id']}/", values)
    assert some_of(values, changed.json()) == values
    (line,) = AuditEntry.objects.filter(action="change-event")
    assert (line.before, line.after) == (some_of(values, third), values)


def test_fields_and_settings_of_a_tournament_go_all_the_way_round(director, program, club):
    values, settings = event_values(), setting_values()
    said = {**values, "ruleset": RULESET, "settings": settings}
    made = program.post("clubs/moda/tournaments/", said)
    assert (some_of(values, made.json()), made.json()["settings"]) == (values, settings)
    first = Tournament.objects.select_related("event").get()
    assert (values_of(first.event), first.settings) == (values, settings)
    address = ["moda", first.slug]
    assert_shown(director.get(reverse("tournament", args=address)), values)
    shown = program.get("clubs/moda/tournaments/").json()["results"][0]
    assert some_of(SHOWN, shown) == some_of(SHOWN, values)
    heading = hall_heading(Report(event=first.event), "Standings")
    # Each round has an hour of its own.
    assert heading.lines == [values[name] for name in SHOWN if name != "starts_at"]

    form = director.get(reverse("change_tournament", args=address)).context["form"]
    director.post(reverse("new_tournament", args=["moda"]), sent_by(form))
    second = Tournament.objects.exclude(pk=first.pk).get()
    # A new tournament is scored by the newest rule, whatever the one it copies was scored by.
    newest = {"tie_break_version": TournamentSettings().tie_break_version}
    assert (values_of(second.event), second.settings) == (values, settings | newest)

    document = json.loads(write_tournament(tournament_document(first)))
    Tournament.objects.all().delete()
    other = ClubFactory(slug="other")
    third = import_tournament(document, NOBODY, at=EVENING, into=Into(other))
    assert (values_of(third.event), third.settings) == (values, settings)
    # The digest covers the club, too.
    own = {name: document[name] for name in ("club", "digest")}
    assert tournament_document(third) | own == document


@pytest.mark.parametrize("path", ["events", "tournaments"])
def test_what_a_club_does_is_done_unless_something_else_is_sent(program, club, path):
    usual, own = (
        dict(zip(("table_codes", "confirmations"), values, strict=True))
        for values in ((True, "all"), (False, "none"))
    )
    Club.objects.update(**usual)
    for sent, kept in (({}, usual), (own, own)):
        plain = {"name": "Salı", "held_on": "2026-11-17", "ruleset": RULESET, **sent}
        assert some_of(usual, program.post(f"clubs/moda/{path}/", plain).json()) == kept


def test_removed_player_is_in_no_free_text_of_an_event(director, program, club):
    player = add_player(club, "Işıl Yılmaz", NOBODY, at=EVENING)
    said = dict.fromkeys(FREE_TEXTS, "Işıl Yılmaz Evi")
    plain = {"name": "Salı", "held_on": "2026-11-17", "ruleset": RULESET}
    program.post("clubs/moda/events/", {**plain, **said})
    remove_player(player.pk, NOBODY, at=EVENING)
    event = Event.objects.get()
    assert some_of(FREE_TEXTS, values_of(event)) == dict.fromkeys(FREE_TEXTS, "№ Evi")
    assert "Yılmaz" not in str(list(AuditEntry.objects.values_list("before", "after")))


def test_settings_of_a_club_go_all_the_way_round(director, club):
    owner = MemberFactory(club=club, role=Role.OWNER).user
    defaults = {name: getattr(Club(), name) for name in CLUB_FIELDS}
    values = {
        name: another(name, about.shape, defaults[name]) for name, about in CLUB_FIELDS.items()
    }
    changed = Program().as_(owner).patch("clubs/moda/settings/", values)
    club.refresh_from_db()
    assert (changed.json(), some_of(values, vars(club))) == (values, values)

    other = ClubFactory(slug="other")
    stood = some_of(values, vars(other))
    MemberFactory(club=other, user=owner, role=Role.OWNER)
    director.force_login(owner)
    form = director.get(reverse("club_settings", args=["moda"])).context["form"]
    director.post(reverse("club_settings", args=["other"]), sent_by(form))
    other.refresh_from_db()
    assert some_of(values, vars(other)) == values
    (line,) = AuditEntry.objects.filter(club=other, action="change")
    assert (line.before, line.after) == (stood, values)


def setup_values(rules):
    """Return a setup in which nothing has its default; `options` has every option of the rules."""
    options = {}
    for option in rules.options:
        counts = (n for n in (6, 10) if n != rules.settings.get(option.setting))
        values = option.values or islice(counts, 1)
        options[option.setting] = next(v for v in values if v != rules.settings.get(option.setting))
    for name, by_value in rules.implied.items():
        # What another option implies is not stored.
        implied = by_value.get(options[name], {})
        for option in rules.options:
            if option.values and option.setting in implied:
                others = (v for v in option.values if v != implied[option.setting])
                options[option.setting] = next(others)
    for name, (other, value) in MEANINGLESS.items():
        # The page refuses what changes nothing.
        if options.get(other) == value:
            options.pop(name, None)
    texts = {name: f"{name} & ♥".ljust(LONGEST_NAME, "x") for name in ("title", "place")}
    players = [f"Işıl {seat} <é>" for seat in range(rules.seats)]
    values = {"players": players, "first_declarer": rules.seats - 1, "options": options, **texts}
    # A game has one stake: the option of its rules, or its own.
    own = {"stake": {"per": "place", "amount": 2, "thing": "çay <é>"}}
    return values if "stake" in options else values | own


@pytest.mark.parametrize("ruleset", RULESETS)
def test_setup_of_a_game_goes_all_the_way_round(program, client, ruleset):
    values = setup_values(RULESETS[ruleset])
    made = program.post("games/", {"ruleset": ruleset, **values})
    assert some_of(values, made.json()) == values
    first = Game.objects.get()
    record = json.loads(client.get(address(first, "follow") + "record.json").content)
    assert some_of(values, record) == values

    form = client.get(address(first, "write") + "names/").context["form"]
    names = [f"Oyuncu {seat}" for seat in range(RULESETS[ruleset].seats)]
    # The page does not ask for it: with each mistake somebody says who gets the points.
    unasked = {k: v for k, v in values["options"].items() if k == "adjustment_to"}
    second = GameFactory(head=SetupFactory(ruleset=ruleset, players=names, options=unasked))
    sent = {**sent_by(form), "key": "setup-of-the-game", "revision": 0}
    client.post(address(second, "write") + "names/", sent)
    second.refresh_from_db()
    # The page asks for a stake apart from the options.
    if option := values["options"].pop("stake", None):
        per = "pot" if values["options"].pop("stake_per", "") == "sinking" else "point"
        values["stake"] = {"per": per, "amount": option, "thing": ""}
    assert some_of(values, vars(second)) == values


def test_season_goes_all_the_way_round(director, program):
    values = {
        "name": "Işıl’ın “sezonu” & <güz>",
        "starts_on": "2026-09-01",
        "ends_on": "2027-01-31",
        "league_best": 7,
    }
    made = program.post("clubs/moda/seasons/", values)
    assert some_of(values, made.json()) == values
    first = Season.objects.get()
    form = director.get(reverse("season", args=["moda", first.pk])).context["form"]
    first.delete()
    director.post(reverse("seasons", args=["moda"]), sent_by(form))
    page = program.get(f"clubs/moda/seasons/{Season.objects.get().pk}/").json()
    assert some_of(values, page) == values
