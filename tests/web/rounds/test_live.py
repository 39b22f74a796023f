from django.urls import reverse

from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.web.members import member_of
from tests.web.rounds.going import going, next_round, of_all, play_at, table
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import close_round


def board(looker, place):
    return looker.get(of_all("live_board", place))


def test_board_shows_each_running_table_in_small_with_who_leads(club):
    round_ = going(club, 3)
    play_at(round_, 1, WHOLE_GAME[:7])
    play_at(round_, 3, WHOLE_GAME)

    page = board(member_of(club), round_)

    one, two = page.context["board"]
    assert (one.state, two.state) == ("deal 8 of 20", "deal 1 of 20")
    # What stands on the board adds up to the totals.
    columns = zip(*(row.points for row in one.small), strict=True)
    assert tuple(sum(column) for column in columns) == one.totals
    assert len(one.small) == 7
    assert one.lead == [total == max(one.totals) for total in one.totals]
    assert two.lead == [False] * 4
    assert [each.table.number for each in page.context["listed"]] == [3]
    sheet = reverse("club_game", args=[club.slug, table(round_, 1).games.get().public_id])
    assert f'<a href="{sheet}">' in page.text


def test_board_goes_on_to_the_next_round_and_is_answered_unchanged(club):
    round_ = going(club, 1, rounds=2)
    looker, asked = member_of(club), {"hx-request": "true"}
    at = of_all("live_board", round_)
    first = looker.get(at, headers=asked)
    same = looker.get(at, headers=asked | {"if-none-match": first["ETag"]})
    assert (same.status_code, f'hx-get="{at}"' in first.text) == (304, True)

    play_at(round_, 1, WHOLE_GAME)
    close_round(round_.pk, NOBODY, at=EVENING)
    next_round(round_.event.tournament)

    after = looker.get(at, headers=asked | {"if-none-match": first["ETag"]})
    assert (after.status_code, after.context["round"].number) == (200, 2)
