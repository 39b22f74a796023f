"""Photographs of sheets on paper, read: 300 simulated ones of Turkish King, others of Italian King.

Who writes and who photographs is simulated (`photo_simulator`), with the digits of writers whom the
network has not seen; real pens, paper and tables are not measured here. Beside each figure stands
what the cells say without the rules. An error is silent if no person is asked: neither the cell nor
its row is doubtful, nor a total at the foot contradicts its column. Rows in which the writer erred
are left out of the rates; they are found if anything of the row is doubtful.
"""

import resource
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median, quantiles

from benchmarks.figures import Figure, readable
from benchmarks.photo_simulator import Written, sheets
from tournaments.engine.variants import RULESETS
from tournaments.photos.reading import PhotoReading, read_photos
from tournaments.photos.straighten import UnreadablePhoto

DATABASES = ("",)
SIZES = {
    "tiny": {"turkish": 2, "italian": 1},
    "usual": {"turkish": 300, "italian": 40},
    "full": {"turkish": 300, "italian": 40},
}


def measure(turkish: int, italian: int) -> Iterator[Figure]:
    for name, ruleset, count in (
        ("Turkish King", "turkish-king", turkish),
        ("Italian King", "italian-king", italian),
    ):
        yield from of_ruleset(name, ruleset, range(count))


def of_ruleset(name: str, ruleset: str, numbers: Sequence[int]) -> Iterator[Figure]:
    found: Counter[str] = Counter()
    seconds, errors = [], []
    for photo, written in sheets(ruleset, numbers):
        start = time.process_time()
        try:
            reading = read_photos([photo], RULESETS[ruleset], "")
        except UnreadablePhoto as unreadable:
            found[f"refused: {unreadable.reason}"] += 1
            continue
        seconds.append(time.process_time() - start)
        errors.append(reading.error)
        found.update(compare(reading, written))
    found["refused"] = sum(n for what, n in found.items() if what.startswith("refused: "))
    read, rows = max(found["sheets"], 1), max(found["rows"], 1)

    def share(what: str, wrong: str, alone: str, whole: int) -> Figure:
        return Figure(
            f"{name}: {what}", 100 * found[wrong] / whole, "%",
            "from the cells alone", 100 * found[alone] / whole,
            f"{found[wrong]:,} of {whole:,}",
        )  # fmt: skip

    yield share("rows misread", "wrong rows", "wrong rows alone", rows)
    yield share("numbers misread", "wrong cells", "wrong cells alone", max(found["cells"], 1))
    yield share("games misread", "wrong games", "wrong games alone", read)
    yield Figure(
        f"{name}: sheets with a silent error", found["silent"], "",
        "if the totals at the foot were empty", found["silent without totals"],
        f"of {read}; writers’ errors found: {found['errors found']} of {found['errors']}",
    )  # fmt: skip
    yield Figure(
        f"{name}: fields to look at on a sheet", found["doubtful"] / read, "",
        "all fields", found["fields"] / read,
        f"totals that contradict right columns: {found['false alarms']} of {found['columns']}",
    )  # fmt: skip
    yield Figure(
        f"{name}: photographs refused", found["refused"], "", "all photographs", len(numbers),
        ", ".join(f"{what.partition(': ')[2]} {n}" for what, n in found.items() if ": " in what),
    )  # fmt: skip
    if seconds:
        late = quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield Figure(
            f"{name}: a photograph read", 1000 * median(seconds), "ms of CPU", "at most", 300,
            f"95 %: {readable(1000 * late)}; error of straightening {readable(median(errors))} mm,"
            f" at most {readable(max(errors))}; {readable(memory)} MB with the simulator",
        )  # fmt: skip


def compare(reading: PhotoReading, written: Written) -> Counter[str]:
    """Count the correct, wrong and doubtful fields of a sheet, and its silent errors."""
    found = Counter({"sheets": 1, "columns": len(reading.totals)})
    wrong_columns, silent_in = set(), set()
    alarmed = {side for side, total in enumerate(reading.totals) if total.is_contradicted}
    is_right = is_right_alone = len(reading.rows) == len(written.rows)
    silent_elsewhere = not is_right
    for number, (row, (contract, trump, counts)) in enumerate(
        zip(reading.rows, written.rows, strict=False)
    ):
        found["fields"] += 1 + len(counts)
        found["doubtful"] += len(row.doubtful) + row.contract_is_doubtful
        if number in written.wrong_rows:
            found["errors"] += 1
            found["errors found"] += bool(row.doubtful or row.contract_is_doubtful)
            continue
        named = (row.contract, row.trump) == (contract, trump)
        wrong = [side for side, n in enumerate(counts) if row.counts[side] != n]
        alone = [side for side, n in enumerate(counts) if row.read[side] != n]
        wrong_columns.update(wrong if named else range(len(counts)))
        found["rows"] += 1
        found["cells"] += len(counts)
        found["wrong cells"] += len(wrong)
        found["wrong cells alone"] += len(alone)
        found["wrong rows"] += bool(wrong) or not named
        found["wrong rows alone"] += bool(alone) or not named
        is_right &= named and not wrong
        is_right_alone &= named and not alone
        if not row.contract_is_doubtful:
            silent_elsewhere |= not named and not row.doubtful
            silent_in.update(side for side in wrong if side not in row.doubtful)
    found["wrong games"] += not is_right
    found["wrong games alone"] += not is_right_alone
    found["silent without totals"] += bool(silent_elsewhere or silent_in)
    found["silent"] += bool(silent_elsewhere and not alarmed) or bool(silent_in - alarmed)
    found["false alarms"] += len(alarmed - wrong_columns) if not written.wrong_rows else 0
    return found
