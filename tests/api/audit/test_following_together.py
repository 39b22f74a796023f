"""A follower misses nothing while others write: what is written first may be committed last.

On PostgreSQL the writers hold their transactions open for a while, and pass each other; on SQLite
they wait for each other.
"""

import random
import threading
import time

import pytest
from django.db import transaction
from django.utils import timezone

from tests.club_factories import ClubFactory, MemberFactory
from tests.together import at_once
from tournaments.models import AuditEntry, ChangeFeed
from tournaments.services.audit import NOBODY, Change, note_change

WRITERS, WRITES = 3, 60


def write(clubs, seed):
    chance = random.Random(seed)
    for number in range(WRITES):
        with transaction.atomic():
            for each in range(chance.randint(1, 3)):
                change = Change(
                    AuditEntry.Kind.SETTINGS, "change", f"rules:w{seed}-{number}-{each}"
                )
                note_change(chance.choice(clubs), change, NOBODY, at=timezone.now())
            time.sleep(chance.choice([0, 0.002, 0.05]))
            transaction.set_rollback(chance.random() < 0.1)
    return "written"


def follow(program, limit, over):
    """Read on until nothing is left; each question numbers what is new."""
    after, seen = 0, []
    while True:
        # Checked before asking: what was written until then is in the answer.
        last_time = over.is_set()
        feed = program.get(f"changes/?after={after}&limit={limit}").json()
        seen += [(change["number"], change["subject"]) for change in feed["results"]]
        after = feed["last"]
        if last_time and not feed["more"]:
            return seen
        time.sleep(0.005)


@pytest.mark.django_db(transaction=True)
def test_followers_see_every_line_of_many_writers_once_and_in_order(program, settings):
    settings.API_LIMITS = {}
    clubs = ClubFactory.create_batch(3)
    user = MemberFactory(club=clubs[0], role="director").user
    for club in clubs[1:]:
        MemberFactory(club=club, user=user, role="director")
    director, over = program.as_(user), threading.Event()

    def write_all():
        done = at_once(*[lambda seed=seed: write(clubs, seed) for seed in range(WRITERS)])
        over.set()
        return done

    # One keeps up with the writers, where lines can pass each other; one falls behind.
    readers = [lambda limit=limit: follow(director, limit, over) for limit in (200, 7)]
    done, *seen = at_once(write_all, *readers)

    assert done == ["written"] * WRITERS
    ChangeFeed.number_new_lines()
    stored = list(AuditEntry.objects.order_by("number").values_list("number", "subject"))
    assert [number for number, _subject in stored] == list(range(1, len(stored) + 1))
    assert len(stored) > WRITERS * WRITES
    assert seen == [stored, stored]
