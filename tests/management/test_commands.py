import json
from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.test import Client

from tests.club_factories import ClubFactory, PlayerFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, UserFactory
from tests.phones import deal_fields, new_key
from tests.services.imports.record_files import OTHERS, record
from tournaments.models import AuditEntry, Game, Revision
from tournaments.web.base.phone import address

pytestmark = pytest.mark.django_db


@pytest.fixture
def club():
    return ClubFactory(slug="moda")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one.json").write_text(json.dumps(record(title="Cuma")))
    (tmp_path / "all.jsonl").write_text(json.dumps(record(OTHERS, hours=24)))
    (tmp_path / "readme.txt").write_text("no record")
    return tmp_path


def import_games(*args):
    out, err = StringIO(), StringIO()
    try:
        call_command("import_games", *args, stdout=out, stderr=err)
    except SystemExit as end:
        return out.getvalue(), err.getvalue(), end.code
    return out.getvalue(), err.getvalue(), 0


def test_dry_run_says_what_would_be_done_and_does_nothing(club, folder):
    PlayerFactory(club=club, name="Ayşe Ak")

    out, err, status = import_games("moda", str(folder), "--dry-run", "--evening", "Pazar")

    assert (err, status) == ("", 0)
    assert out.splitlines() == [
        f"{folder}/all.jsonl:1: Pazar, 2025-03-15, round 1, table 1: Elif, Fatma, Gül, Hakan",
        f"{folder}/b/one.json: Cuma, 2025-03-14, round 1, table 1: Ayşe, Burak, Cem, Deniz",
        *(f"new player: {name}" for name in OTHERS),
        "new player: Ayşe (there is Ayşe Ak)",
        *(f"new player: {name}" for name in ("Burak", "Cem", "Deniz")),
        "2 games would be imported.",
    ]
    assert not Game.objects.exists()


def test_folder_is_imported_once(club, folder):
    assert import_games("moda", str(folder))[0].endswith("2 games imported, 8 players added.\n")

    out, _err, status = import_games("moda", str(folder))

    assert (out.count("there already"), status) == (2, 0)
    assert out.endswith("0 games imported, 0 players added.\n")
    assert Game.objects.count() == 2
    assert AuditEntry.objects.filter(action="import-records", user=None).count() == 1


def test_one_wrong_record_keeps_all_others_out(club, folder):
    PlayerFactory(club=club, name="Ayşe Ak")
    PlayerFactory(club=club, name="Ayşe Bal")
    (folder / "z.json").write_text("{}")

    out, err, status = import_games("moda", str(folder))

    assert (err, status) == ("Nothing was imported: 2 records are wrong.\n", 1)
    assert "one.json: ambiguous players (name: Ayşe, players: Ayşe Ak, Ayşe Bal)" in out
    assert out.count("z.json: ") == 4
    assert not Game.objects.exists()


def test_what_is_not_there_is_said(club, tmp_path):
    assert import_games("kadife", str(tmp_path))[1:] == ("No club has the slug 'kadife'.\n", 1)
    assert import_games("moda", str(tmp_path))[1:] == ("This file is empty.\n", 2)
    assert import_games("moda", str(tmp_path / "x"))[2] == 2


def send(game, fields):
    """Send a form of an entry to the table of a game, whosesoever it is."""
    answer = Client().post(
        f"{address(game, 'write')}entry/", fields, headers={"hx-request": "true"}
    )
    assert answer.status_code == 200
    return Revision.objects.latest("pk")


def found_mixed():
    out = StringIO()
    call_command("find_mixed_entries", stdout=out)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("tables", [2, 3])
def test_entry_on_the_sheets_of_several_tables_is_found_on_each(tables):
    games = [GameFactory() for _ in range(tables)]
    for game in games:
        send(game, deal_fields(WHOLE_GAME[0], 0, new_key()))
    mixed = deal_fields(WHOLE_GAME[1], 1, new_key())
    for game in games:
        send(game, mixed)

    *lines, sum_ = found_mixed()

    assert sum_ == "1 keys on several sheets"
    assert [line.split(": ")[0] for line in lines] == [mixed["key"]] * tables
    assert [line.split("game ")[1] for line in lines] == [
        f"{game.public_id}, revision 2, entry" for game in games
    ]


def test_keys_that_programs_count_are_not_found_where_their_games_are_of_other_days():
    fields = deal_fields(WHOLE_GAME[0], 0, "entry-0001")
    row = send(GameFactory(), fields)
    Revision.objects.filter(pk=row.pk).update(at=row.at - timedelta(days=1))
    send(GameFactory(), fields)

    assert found_mixed() == ["0 keys on several sheets"]


def rotate(**options):
    call_command("rotate_secret", stdout=(said := StringIO()), **options)
    return said.getvalue()


def test_new_secret_replaces_the_old_or_goes_before_it(tmp_path, settings):
    settings.SECRET_FILE = tmp_path / "secret-key"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "the one now", ["an old one"]

    rotate()
    (new,) = settings.SECRET_FILE.read_text().split("\n")
    assert len(new) == 64
    rotate(keep_old=True)
    newer, *old = settings.SECRET_FILE.read_text().split("\n")
    assert newer != new
    assert old == ["the one now", "an old one"]
    rotate(forget_old=True)
    assert settings.SECRET_FILE.read_text() == "the one now"
    assert settings.SECRET_FILE.stat().st_mode & 0o777 == 0o600


def test_secret_of_the_environment_is_printed(settings):
    settings.SECRET_FILE = None

    said = rotate(keep_old=True)

    assert f"KINGSCORE_OLD_SECRETS={settings.SECRET_KEY}" in said.splitlines()


def test_confirmed_address_is_the_first_of_its_account():
    user = UserFactory(email="owner@club.example")

    call_command("confirm", "Owner@club.example", stdout=StringIO())

    address = EmailAddress.objects.get(user=user)
    assert (address.email, address.verified, address.primary) == (user.email, True, True)
    with pytest.raises(CommandError, match=r"No account has the address nobody@club\.example"):
        call_command("confirm", "nobody@club.example")
