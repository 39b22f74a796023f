"""Final totals from paper, for every family of games: sums, history, confirmations, rating."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.browser.playing import FAMILIES
from tests.factories import ContextFactory, record_all, reload
from tests.paper_totals import STOPPED, line, totals_of
from tests.web.rounds.going import going, table
from tests.web.rounds.test_pages import url
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, RatingChange
from tournaments.services.audit import NOBODY
from tournaments.services.games.confirming import confirm_result
from tournaments.services.games.totals import record_totals
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rounds.rounds import RoundNotReady, close_round
from tournaments.web.base.phone import address

FINE = {"type": "adjustment", "seat": 2, "points": -100, "to": "none", "reason": "revoke"}


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


def entered(round_, number, totals, **more):
    game = table(round_, number).games.get()
    record_totals(game.pk, tuple(totals), ContextFactory(revision=0), **more)
    return game


def on_sheet(game, name, *more):
    return reverse(name, args=[game.public_id, game.secret("write"), *more])


def means_after(game):
    return list(RatingChange.objects.filter(game=game).order_by("seat").values_list("mean"))


def boxes(page, number):
    """What stands in the boxes of a table, as a browser would send it back."""
    return dict(
        re.findall(rf'name="((?:total|key|revision|why)-{number}(?:-\d)?)" value="([^"]*)"', page)
    )


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("ruleset", FAMILIES)
def test_totals_open_again_in_their_boxes_and_are_corrected_as_a_whole(
    director, club, ruleset, is_closed
):
    round_, rules = going(club, tables=1, ruleset=ruleset), RULESETS[ruleset]
    totals = totals_of(rules)
    game, page = entered(round_, 1, totals), url("round_totals", round_)
    if is_closed:
        close_round(round_.pk, NOBODY, at=timezone.now())
        sweep_ratings()
    rated = means_after(game)
    assert "?table=1#table-1" in director.get(page).content.decode()

    # Also a total of 0 has its box.
    form = boxes(director.get(page, {"table": 1}).content.decode(), 1)
    assert [form.pop(f"total-1-{side}") for side in range(rules.side_count)] == list(
        map(str, totals)
    )
    assert "totals" not in form["why-1"]

    def send(numbers, **more):
        typed = {f"total-1-{side}": str(points) for side, points in enumerate(numbers)}
        return director.post(page, form | typed | {"why-1": "misread"} | more)

    impossible = [points - 1 for points in totals] if rules.target else [7000, *totals[1:]]
    refused = send(impossible)
    assert (refused.status_code, len(reload(game).revisions)) == (422, 1)
    assert boxes(refused.content.decode(), 1)["total-1-0"] == str(impossible[0])
    assert boxes(refused.content.decode(), 1)["why-1"] == "misread"
    empty = send([""] * rules.side_count)
    assert (empty.status_code, len(reload(game).revisions)) == (422, 1)

    swapped = totals[::-1]
    for _twice in range(2):
        assert send(swapped).status_code == 302
    sheet = reload(game)
    assert [(each.kind, each.reason) for each in sheet.revisions] == [
        ("entry", ""),
        ("correction", "misread"),
    ]
    assert (sheet.row.result["totals"], len(sheet.game.entries)) == (swapped, 1)
    history = director.get(on_sheet(game, "history")).content.decode()
    assert history.count("Totals from paper") == 3
    if is_closed:
        sweep_ratings()
        assert means_after(game) != rated


def test_second_of_two_directors_sees_what_the_first_has_written(director, club):
    round_ = going(club, tables=1)
    game = entered(round_, 1, [100, -60, -20, -20])
    page = url("round_totals", round_)

    late = director.post(page, sent(round_, 1, [90, -60, -20, -10], **{"key-1": "another-key-1"}))
    shown = late.content.decode()
    assert (late.status_code, reload(game).game.totals) == (422, (100, -60, -20, -20))
    assert "On the sheet:" in shown
    # Whoever presses again corrects it, and knows.
    again = boxes(shown, 1) | {"why-1": "read once more"}
    assert again["total-1-0"] == "90"
    director.post(page, again)
    assert reload(game).game.totals == (90, -60, -20, -10)


@pytest.mark.parametrize("before", [[], [FINE]])
def test_ruling_beside_totals_stays_when_they_are_corrected(director, club, before):
    round_ = going(club, tables=1)
    game, page = table(round_).games.get(), url("round_totals", round_)
    record_all(game, before)
    typed = {"key-1": "a-key-of-this", "revision-1": len(before)}
    director.post(page, sent(round_, 1, [100, -60, -20, -20]) | typed)
    if not before:
        record_all(game, [FINE])
    form = boxes(director.get(page, {"table": 1}).content.decode(), 1)
    assert form["total-1-2"] == "-20"
    director.post(page, form | {"total-1-0": "110", "total-1-2": "-30"})

    sheet = reload(game)
    assert (sheet.game.totals, sheet.game.expected_sum) == ((110, -60, -130, -20), -100)
    close_round(round_.pk, NOBODY, at=timezone.now())


@pytest.mark.parametrize("wrong", [7000, 90])
def test_totals_corrected_before_corrections_were_checked_keep_a_round_open(director, club, wrong):
    round_ = going(club, tables=1)
    game = table(round_).games.get()
    unchecked = {"type": "totals", "totals": [wrong, -60, -20, -20], "unchecked": True}
    record_all(game, [unchecked])
    sheet = director.get(address(game, "write")).content.decode()
    assert "✗" in sheet
    assert f"{wrong - 100}, must be 0".replace("-", "−") in " ".join(sheet.split())
    with pytest.raises(RoundNotReady):
        close_round(round_.pk, NOBODY, at=timezone.now())

    page = url("round_totals", round_)
    form = boxes(director.get(page, {"table": 1}).content.decode(), 1)
    director.post(page, form | {"total-1-0": "100"})
    assert reload(game).body(0) == {"type": "totals", "totals": [100, -60, -20, -20]}
    close_round(round_.pk, NOBODY, at=timezone.now())


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ({"total-0": "7000"}, 422),
        ({"total-0": "7000", "early": "1"}, 302),
        ({"total-0": "x"}, 422),
        ({"total-0": "100", "total-1": "-60", "total-3": "0", "total-2": "-40"}, 302),
    ],
)
def test_line_of_the_sheet_is_corrected_in_the_same_boxes_with_the_same_checks(
    director, club, typed, status
):
    game = entered(going(club, tables=1), 1, [0, 60, -40, -20])
    page = on_sheet(game, "entry", 0)
    shown = director.get(page).content.decode()
    form = dict(re.findall(r'name="(total-\d|key|revision|type)"\s+value="([^"]*)"', shown))
    assert [form[f"total-{side}"] for side in range(4)] == ["0", "60", "-40", "-20"]

    answer = director.post(page, form | {"action": "correct", "why": "misread"} | typed)

    assert answer.status_code == status
    assert len(reload(game).revisions) == (2 if status == 302 else 1)
    director.post(
        page,
        {**form, "revision": reload(game).row.revision, "key": "taken-off-1", "action": "withdraw"},
    )
    assert not reload(game).game.finished
    redo = director.get(address(game, "write")).context["redo"]
    assert redo.fields["type"] == "totals"


def test_old_line_of_a_total_shows_no_word_of_the_program(director, club):
    game = table(going(club, tables=1)).games.get()
    record_all(game, [line(0, 100), line(1, -100), STOPPED])
    page = director.get(on_sheet(game, "entry", 0)).content.decode()
    assert 'name="reason" value=""' in " ".join(page.split())


def test_only_points_that_tell_of_a_game_promise_a_rating(director, club):
    round_ = going(club, confirmations="all")
    fined, on_paper = (table(round_, number).games.get() for number in (1, 2))
    record_all(fined, [FINE, {"type": "stopped", "reason": "other"}])
    director.post(url("round_totals", round_), sent(round_, 2, totals_of(RULESETS["turkish-king"])))

    rated = [director.get(address(game, "write")).context["rated"] for game in (fined, on_paper)]

    assert [each.is_due for each in rated] == [False, True]
