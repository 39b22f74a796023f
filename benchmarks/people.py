"""Many players with Turkish names, drawn with a seed."""

import random
from collections.abc import Sequence
from datetime import datetime

from tournaments.models import Club, Player
from tournaments.models.people import fold_name, plain_name

FIRST = ("Ayşe", "Burak", "Cem", "Deniz", "Elif", "Gül", "Hasan", "Işıl", "İpek", "Nur", "Şule")
LAST = ("Ak", "Boz", "Can", "Çınar", "Demir", "Er", "Gür", "Işık", "Kaya", "Öz", "Şen", "Yılmaz")
RARE = "Xerxes Quisling"


def crowd(clubs: Sequence[Club], number: int, at: datetime) -> None:
    """Make players, one club after the other; the first has a rare name."""
    chance = random.Random(4)
    names = [f"{chance.choice(FIRST)} {chance.choice(LAST)} {n}" for n in range(number - 1)]
    Player.objects.bulk_create(
        (
            Player(
                club=clubs[n % len(clubs)],
                name=name,
                name_key=fold_name(name),
                search_key=plain_name(name),
                initials=n % 20 == 0,
                created_at=at,
            )
            for n, name in enumerate([RARE, *names])
        ),
        batch_size=5000,
    )
