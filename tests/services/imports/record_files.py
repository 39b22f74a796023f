import json
from datetime import UTC, datetime, timedelta

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tournaments.services.audit import NOBODY
from tournaments.services.imports import records

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
    files = [
        records.RecordFile(f"{number}.json", text) for number, text in enumerate(texts, start=1)
    ]
    return records.RecordsRequest(files, "Evening", **chosen)


def take_over(club, asked):
    plan = records.preview_records(club, asked, now=EVENING)
    return records.import_records(club.pk, asked, plan.mark, NOBODY, at=EVENING)
