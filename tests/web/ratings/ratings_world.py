import re

from django.utils import timezone

from tests.club_factories import PlayerFactory
from tests.rating_factories import PlayerRatingFactory
from tournaments.queries.ratings import month_of

CLUB, SERVER = "/clubs/moda/ratings/", "/ratings/"
MONTH = month_of(timezone.now())


def rated(pool, points, name=None, **more):
    if name is not None:
        more["player"] = PlayerFactory(name=name, **({"club": pool.club} if pool.club else {}))
    elif "player" not in more and pool.club:
        more["player"] = PlayerFactory(club=pool.club)
    settled = {"provisional": False, "variance": 40.0**2, "month": MONTH, "last_at": timezone.now()}
    return PlayerRatingFactory(pool=pool, mean=float(points), points=points, **{**settled, **more})


def lines(answer):
    rows = re.findall(r"<tr.*?</tr>", answer.text.partition("<tbody>")[2], re.DOTALL)
    found = []
    for row in rows:
        rank = re.search(r'rank">(\d+)<', row)[1]
        name = re.search(r'<th scope="row">(?:<[^>]+>)?([^<]*)', row)[1].strip()
        found.append((int(rank), name, int(re.search(r'class="rating">(\d+)', row)[1])))
    return found


def names(answer):
    return [name for _, name, _ in lines(answer)]
