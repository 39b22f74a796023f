import json
from datetime import UTC, datetime, timedelta

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tournaments.services.audit import NOBODY
from tournaments.services.imports.records import (
    RecordFile,
    RecordsRequest,
    import_records,
    preview_records,
)

MARCH = datetime(2025, 3, 14, 20, 0, tzinfo=UTC)
OTHERS = ("Elif", "Fatma", "Gül", "Hakan")


def record(names=NAMES, *, hours=0, **head):
    return {
        "format": "kingscore-game/1",
        "ruleset": "turkish-king",
        "players": list(names),
        "played_at": (MARCH + timedelta(hours=hours)).isoformat(),
        "entries": list(WHOLE_GAME),
    } | head


def asked(*documents, **chosen):
    texts = (d if isinstance(d, str) else json.dumps(d) for d in documents)
    files = [RecordFile(f"{number}.json", text) for number, text in enumerate(texts, start=1)]
    return RecordsRequest(files, "Evening", **chosen)


def take_over(club, asked):
    plan = preview_records(club, asked, now=EVENING)
    return import_records(club.pk, asked, plan.mark, NOBODY, at=EVENING)
