"""Refused sign-ins of each kind, beside a wrong password: the time must not tell them apart.

Asked through Django's test client, in one process and in turn, each from another network and for
another account, so that no limit is reached.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from statistics import median, quantiles

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.test import Client
from django.urls import reverse

from benchmarks.figures import Figure, Taken, Work, against, in_turn, readable
from tournaments.models import User

DATABASES = ("SQLite",)
SIZES = {"tiny": {"times": 1}, "usual": {"times": 50}, "full": {"times": 200}}
WARM_UP = 2
WRONG = "yanlis-havlu-33"
KNOWN = "a wrong password of a known address"
NETWORKS = count()


def add_accounts(name: str, number: int, password: str, *, active: bool = True) -> None:
    users = User.objects.bulk_create(
        User(username=f"{name}{n}", email=address(name, n), password=password, is_active=active)
        for n in range(number)
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in users
    )


def address(name: str, number: int) -> str:
    return f"{name}{number}@ornek.org"


def tries(name: str) -> Work:
    """Try one account after another."""
    numbers, page = count(), reverse("account_login")

    def try_next() -> None:
        third, last = divmod(next(NETWORKS), 250)
        fields = {"login": address(name, next(numbers)), "password": WRONG}
        answer = Client(REMOTE_ADDR=f"10.0.{third}.{last}").post(page, fields)
        if answer.status_code != 422:
            raise RuntimeError(f"answered {answer.status_code}")

    return try_next


def told(what: str, own: Sequence[Taken], control: str, other: Sequence[Taken]) -> Figure:
    """Milliseconds of computing, and where the middle half of both lies."""
    used, beside = [one.used for one in own], [one.used for one in other]
    note = f"middle half {middle(used)}, beside {middle(beside)}; by the clock "
    note += f"{readable(median(one.waited for one in own))}, beside "
    note += f"{readable(median(one.waited for one in other))} ms"
    return Figure(what, median(used), "ms of CPU", control, median(beside), note)


def middle(times: Sequence[float]) -> str:
    if len(times) < 2:
        return "unknown"
    first, _, third = quantiles(times, n=4, method="inclusive")
    return f"{readable(first)} to {readable(third)}"


def measure(times: int) -> Iterator[Figure]:
    number, hashed = WARM_UP + times, make_password("sepet-havlu-33")
    add_accounts("known", number, hashed)
    add_accounts("coded", number, make_password(None))
    add_accounts("gone", number, hashed, active=False)
    works = {
        KNOWN: tries("known"),
        "an unknown address": tries("nobody"),
        "an account without a password": tries("coded"),
        "an inactive account": tries("gone"),
    }
    yield from against(in_turn(works, times, WARM_UP), KNOWN, told)
