"""The planted bugs still have a place in the code; `python -m tests.mutations` plants them."""

import pytest

from tests.mutations import MUTATIONS, ROOT


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: f"{each.file}: {each.new}"[:80])
def test_bug_can_be_planted(mutation):
    assert (ROOT / mutation.file).read_text().count(mutation.old) == 1
