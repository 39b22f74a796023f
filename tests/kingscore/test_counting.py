from pathlib import Path

import pytest
from django.core.cache import caches

from tests.together import at_once


@pytest.mark.django_db(transaction=True)
def test_requests_are_counted_together_by_all_that_count():
    caches["throttles"].clear()
    # A thread has a connection of its own, as a process has.
    counted = at_once(*[lambda: [caches["throttles"].count("them", 60)[0] for _ in range(50)]] * 4)

    assert sorted(number for each in counted for number in each) == list(range(1, 201))
    assert caches["throttles"].count("others", 60) == (1, 60)


def test_file_of_counts_that_broke_begins_anew(settings):
    if settings.DATABASE_URL:
        pytest.skip("counted in the database")
    counts = caches["throttles"]
    counts.clear()
    counts.opened.close()
    counts.opened = None
    for end in ("-wal", "-shm"):
        Path(f"{counts.file}{end}").unlink(missing_ok=True)
    counts.file.write_bytes(b"broken" * 100)

    assert [counts.count("them", 60)[0] for _ in range(3)] == [1, 1, 2]
