"""Commands about the API: the list of what it has, and the webhooks of the server."""

import re
from base64 import b64decode
from copy import deepcopy

import pytest
from django.core.management import CommandError, call_command

from tournaments.api.reference.views import document
from tournaments.management.commands import list_api
from tournaments.models import Webhook

pytestmark = pytest.mark.django_db

URL = "https://receiver.example/hook"


def test_api_is_the_one_that_is_listed():
    call_command("list_api", "--check")


def test_listing_names_a_part_that_has_changed_but_no_text():
    description = document()
    changed = deepcopy(description)
    game = changed["components"]["schemas"]["Game"]
    game["description"] = game["properties"]["id"]["description"] = "Another text."
    assert list_api.listing(changed) == list_api.listing(description)
    game["properties"]["id"]["type"] = "integer"
    del game["properties"]["title"]
    changed["paths"]["/api/v1/games/"]["post"]["security"] = []
    with pytest.raises(CommandError) as refused:
        list_api.check(list_api.listing(description), list_api.listing(changed), "")
    changes = re.findall(r"^([-+] \S+ [\w.]+)#", str(refused.value), re.MULTILINE)
    assert changes == [
        *("- /api/v1/games/ post.security", "+ /api/v1/games/ post.security"),
        *("- Game id", "+ Game id", "- Game title"),
    ]


@pytest.mark.parametrize(("number", "told"), [(12, ""), (15, " and 3 more")])
def test_changelog_names_a_dozen_of_many_changes(tmp_path, monkeypatch, number, told):
    monkeypatch.setattr(list_api, "CHANGELOG", tmp_path / "changelog.md")
    list_api.CHANGELOG.write_text("# API\n\n## Next (000000000000)\n\n- Words.\n")
    listing = "".join(f"/{letter}/: get#000000\n" for letter in "abcdefghijklmno"[:number])

    [line] = list_api.note_changes("", listing, "(111111111111)")

    assert line == f"- Added: {', '.join(f'`/{each}/ get`' for each in 'abcdefghijkl')}{told}."
    assert list_api.CHANGELOG.read_text() == (
        f"# API\n\n## Next (111111111111)\n\n- Words.\n{line}\n"
    )


def test_command_keeps_webhooks_of_the_server(capsys):
    call_command("server_webhook", URL, "player.added")
    row = Webhook.objects.get()
    key = b64decode(capsys.readouterr().out.split("whsec_")[1]).decode()
    assert (row.club, row.events, key) == (None, ["player.added"], row.secret)
    call_command("server_webhook")
    assert capsys.readouterr().out == f"{row.public_id} {URL} player.added\n"
    for wrong in ([URL, "player.lost"], ["http://10.0.0.1/"], ["--remove", "other"]):
        with pytest.raises(CommandError):
            call_command("server_webhook", *wrong)
    call_command("server_webhook", "--remove", row.public_id)
    assert not Webhook.objects.exists()
