"""Print how well photographs of paper sheets were read, as figures."""

from collections import Counter, defaultdict
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.models import GamePhoto

FIGURES = (
    "sheets confirmed",
    "sheets not confirmed",
    "sheets that cannot be read",
    "rows",
    "fields",
    "doubtful",
    "corrected by the rules",
    "doubtful and changed by a person",
    "sure and changed by a person",
    "rows added or left out by a person",
)


class Command(BaseCommand):
    """`manage.py photo_report`: sheets and fields, and what a person changed, by ruleset."""

    help = (
        "Print how well photographs of paper sheets were read, by ruleset: figures to send to who"
        " makes the program, without names or pictures."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        photos = GamePhoto.objects.select_related("game").defer("pictures", "page")
        figures: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for photo in photos.iterator():
            # The id of house rules is a name that somebody made up.
            ruleset = photo.game.ruleset if photo.game.document is None else "house rules"
            figures[ruleset].update(count(photo))
        for ruleset, counted in sorted(figures.items()):
            self.stdout.write(f"{ruleset}:")
            for name in FIGURES:
                self.stdout.write(f"  {counted[name]:6} {name}")
        self.stdout.write(
            f"{sum(f['sheets confirmed'] for f in figures.values())} sheets confirmed"
        )


def count(photo: GamePhoto) -> Counter[str]:
    """Return the figures of one sheet; of one that is not confirmed only its state."""
    if photo.reading is None or photo.confirmed is None:
        is_unreadable = photo.state == GamePhoto.State.UNREADABLE
        return Counter(["sheets that cannot be read" if is_unreadable else "sheets not confirmed"])
    rows = photo.reading["rows"]
    deals = [entry for entry in photo.confirmed["rows"] if entry.get("counts")]
    found = Counter({"sheets confirmed": 1, "rows": len(rows)})
    found["rows added or left out by a person"] = abs(len(rows) - len(deals))
    for row, deal in zip(rows, deals, strict=False):
        [counts] = deal["counts"].values()
        found["corrected by the rules"] += len(row["changed"])
        fields = [(row["contract_is_doubtful"], row["contract"] != deal["contract"])]
        fields += [
            (side in row["doubtful"], read != confirmed)
            for side, (read, confirmed) in enumerate(zip(row["counts"], counts, strict=True))
        ]
        for is_doubtful, is_changed in fields:
            found["fields"] += 1
            found["doubtful"] += is_doubtful
            if is_changed:
                found[f"{'doubtful' if is_doubtful else 'sure'} and changed by a person"] += 1
    return found
