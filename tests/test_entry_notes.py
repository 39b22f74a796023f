import pytest

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record, reload
from tests.web.games.table import fields_of, send, url
from tournaments.engine.documents.entries import FORMS, read_entry, write_entry
from tournaments.models import AuditEntry, Player, Revision
from tournaments.reports.sheets import compose_scoresheet
from tournaments.services.audit import NOBODY
from tournaments.services.people.changes import remove_player

ENTRIES = [
    WHOLE_GAME[0],
    {"type": "void", "reason": "misdeal"},
    {"type": "redeal", "by": 0, "reason": "misdeal"},
    {"type": "passed"},
    {"type": "adjustment", "seat": 1, "points": -5, "reason": "late"},
    {"type": "stopped", "reason": "time"},
    {"type": "totals", "totals": [540, -110, -330, -100]},
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["type"])
def test_every_entry_can_have_a_note_of_200_characters(entry):
    assert {each["type"] for each in ENTRIES} == FORMS.keys()
    noted = {**entry, "note": "x" * 200}
    read, faults = read_entry(noted)
    assert (faults, write_entry(read)["note"]) == ([], noted["note"])
    (fault,) = read_entry({**entry, "note": "x" * 201})[1]
    assert (fault.code, fault.where) == ("wrong-type", "note")


@pytest.mark.django_db
def test_note_is_typed_shown_printed_kept_and_cleaned_of_the_name_of_somebody_removed(client):
    game = TableFactory(entries=WHOLE_GAME[:1]).games.get()
    player = Player.objects.get(seats__game=game, seats__number=0)
    for entry in ENTRIES[1], ENTRIES[4], ENTRIES[5]:
        record(game, {**entry, "note": f"{entry['type']}: {player.name} bekledi"})

    note = f"deal: {player.name} güldü"
    answer = send(client, game, "entry", 0, action="correct", note=note, **fields_of(ENTRIES[0]))
    assert answer.status_code == 302
    assert f'value="{note}"' in client.get(url(game, "entry", 0)).content.decode()

    sheet, notes = reload(game), [note]
    notes += [f"{name}: {player.name} bekledi" for name in ("void", "adjustment", "stopped")]
    written = sheet.record
    assert [entry["note"] for entry in written["entries"]] == notes
    page = client.get(url(game, "write")).content.decode()
    printed = str(compose_scoresheet(written, ""))
    assert [each for each in notes if each not in page or each not in printed] == []

    remove_player(player.pk, NOBODY, at=EVENING)
    kept = [
        *Revision.objects.values_list("body"),
        *AuditEntry.objects.values_list("before", "after"),
    ]
    assert player.name not in str(kept)
