"""Five phones that write while their signal dies: nothing is lost, nothing stands twice.

`KINGSCORE_RACING=1000` has them write so often and prints what became of it.
"""

import os

import pytest

from tests.browser.racing import race

WRITES = int(os.environ.get("KINGSCORE_RACING", "0"))

# Not yet steady enough for every run: asked for by the number of writes.
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not WRITES, reason="asked for by KINGSCORE_RACING"),
]
WRONG = ("lost", "twice", "given up, but on the sheet")


# A write that is lost now and then is lost: this is not run once more.
@pytest.mark.flaky(reruns=0)
def test_writes_of_five_phones_with_a_dying_signal_are_saved_once_or_shown_as_not(table_phone):
    ended, met, seconds = race(table_phone, WRITES, seed=18)

    print(f"\n{dict(ended)}\nmet: {dict(met)}\n{seconds} s")
    assert ended["writes"] >= WRITES
    assert ended["on the sheet once"] > WRITES / 3
    assert {what: ended[what] for what in WRONG} == dict.fromkeys(WRONG, 0)
    assert met["saved, but left in the form"] == 0
