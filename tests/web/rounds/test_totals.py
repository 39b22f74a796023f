"""Final totals from paper, for every family of games: sums, history, confirmations, rating."""

import pytest
from django.utils import timezone

from tests.browser.playing import FAMILIES
from tests.factories import record_all
from tests.web.rounds.going import going, table
from tests.web.rounds.test_pages import url
from tournaments.engine.rules.ruleset_sums import sums_of
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, RatingChange
from tournaments.services.audit import NOBODY
from tournaments.services.games.confirming import confirm_result
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rounds.rounds import close_round
from tournaments.web.base.phone import address

FINE = {"type": "adjustment", "seat": 2, "points": -100, "to": "none", "reason": "revoke"}


def totals_of(rules):
    """Totals that can end a game: the first side wins, in games that go to 0 the last one pays."""
    least, _most = sums_of(rules).game or (0, 0)
    first = rules.target or least + 120
    return [first, *[0] * (rules.side_count - 2), 0 if rules.target else least - first]


def sent(place, number, totals, **more):
    page = {f"total-{number}-{side}": str(points) for side, points in enumerate(totals)}
    stamps = {f"key-{number}": f"key-of-{number}", f"revision-{number}": 0}
    return {**page, **stamps, **more}


@pytest.mark.parametrize("ruleset", FAMILIES)
def test_totals_from_paper_count_as_those_from_a_phone(director, club, ruleset):
    round_, rules = going(club, confirmations="all", ruleset=ruleset), RULESETS[ruleset]
    totals = totals_of(rules)
    wrong = [points - 1 for points in totals]
    page = url("round_totals", round_)

    refused = director.post(page, sent(round_, 1, wrong))
    assert (refused.status_code, Game.objects.exclude(result=None).count()) == (422, 0)
    (line,) = [line for line in refused.context["lines"] if line.errors]
    assert (line.number, list(line.typed)) == (1, [str(points) for points in wrong])

    for _twice in range(2):
        entered = director.post(page, sent(round_, 1, totals), follow=True)
    assert (entered.context["at"], entered.context["finished"][0].number) == (2, 1)
    # Ended early, any sum goes; those who signed have confirmed.
    director.post(page, sent(round_, 2, wrong, signed=1, **{"early-2": 1}))

    first, second = (table(round_, number).games.get() for number in (1, 2))
    assert (first.result["totals"], second.result["totals"]) == (totals, wrong)
    assert [first.confirmations.count(), second.confirmations.count()] == [0, rules.seats]
    assert [write.user for write in first.revisions.all()] == [director.user] * first.revision
    for seat in range(rules.seats):
        confirm_result(first.pk, seat, first.revision, NOBODY, at=timezone.now())
    close_round(round_.pk, NOBODY, at=timezone.now())
    sweep_ratings()
    assert set(RatingChange.objects.values_list("game", flat=True)) == {first.pk, second.pk}


def test_only_points_that_tell_of_a_game_promise_a_rating(director, club):
    round_ = going(club, confirmations="all")
    fined, on_paper = (table(round_, number).games.get() for number in (1, 2))
    record_all(fined, [FINE, {"type": "stopped", "reason": "other"}])
    director.post(url("round_totals", round_), sent(round_, 2, totals_of(RULESETS["turkish-king"])))

    rated = [director.get(address(game, "write")).context["rated"] for game in (fined, on_paper)]

    assert [each.is_due for each in rated] == [False, True]
