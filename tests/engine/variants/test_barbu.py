import pytest

from tests.engine.documents.score_documents import score_document


@pytest.mark.parametrize(
    ("places", "codes"),
    [
        ([4, 1, 3, 2], []),
        ([1, 1, 2, 3], ["bad-domino"]),
        ([0, 1, 2, 3], ["bad-domino"]),
        ([2, 3, 4, 5], ["bad-domino"]),
    ],
)
def test_each_goes_out_at_a_place_of_their_own(places, codes):
    result = score_document(
        {
            "format": "kingscore-game/1",
            "ruleset": "barbu",
            "players": ["Anne", "Benoît", "Claire", "Denis"],
            "entries": [{"type": "deal", "contract": "domino", "counts": {"places": places}}],
        }
    )
    assert [problem["code"] for problem in result["problems"]] == codes
