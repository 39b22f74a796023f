"""The planted bugs still have a place in the code; `python -m tests.mutations` plants them."""

from tests.mutations import MUTATIONS, ROOT


def test_every_bug_can_be_planted():
    places = [(ROOT / each.file).read_text().count(each.old) for each in MUTATIONS]
    assert [each for each, n in zip(MUTATIONS, places, strict=True) if n != 1] == []
