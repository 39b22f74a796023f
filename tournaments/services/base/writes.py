"""What services share: `Refused` and its kinds, waking workers after a commit, slugs.

A service raises a subclass of `Refused`, which pages and the API turn into a response. `one_moment`
is for reading: a consistent snapshot. `place_to_compute` bounds long computations of a machine.
"""

import fcntl
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from itertools import chain, count
from threading import Thread
from typing import Any, ClassVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.utils.module_loading import import_string
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from tournaments.models import RatingChange
from tournaments.texts.labels import Text

log = logging.getLogger(__name__)


class Refused(Exception):
    """The request is refused; `str` gives the sentence for the reader.

    `params` fill the sentence, `data` is for programs, and `faults` are the single problems.
    `where` is the field concerned; `headers` are added to the response.
    """

    code: str = ""
    status: int = 409
    listed: ClassVar[bool] = False
    """Whether the API lists it as a fault, with `data` as its params: `TableBegun` of a table."""

    in_lists: ClassVar[bool] = False
    """Whether it may be one of several faults, too: `NameTaken` in a list of new players."""

    sentence: Text = ""
    where: str = ""
    headers: Mapping[str, str] = {}

    def __init_subclass__(cls, **about: Any) -> None:
        for name, value in about.items():
            assert hasattr(cls, name), name
            setattr(cls, name, value)

    def __init__(
        self,
        params: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        faults: Sequence["Refused"] = (),
        *,
        where: str = "",
        sentence: Text = "",
    ) -> None:
        self.where, self.sentence = where or self.where, sentence or self.sentence
        self.params, self.data, self.faults = params or {}, data or {}, faults
        super().__init__(params, data, faults)

    def __str__(self) -> str:
        return str(self.sentence) % self.params if self.params else str(self.sentence)


class ChangedMeanwhile(Refused, code="changed-meanwhile", status=412):
    """The object has another entity tag now: `tag`."""

    sentence = _("It has changed since you read it.")

    def __init__(
        self,
        tag: str,
        params: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(params, data)
        self.headers = {"ETag": tag}


class Invalid(Refused, code="invalid", status=422):
    """The input has `faults`."""

    sentence = _("What was sent is not valid.")


class Fault(Refused, status=422, listed=True):
    """One problem in the input; raised alone, it makes the whole input invalid."""


REASONS: ContextVar[set[str] | None] = ContextVar("REASONS", default=None)
"""The codes of all that refused the current request, for its line in the log."""


def note_refusal(*errors: Any) -> None:
    """Note the codes of what refuses the current request: exceptions, or single problems."""
    reasons = REASONS.get()
    if reasons is None:
        return
    for error in errors:
        note_refusal(*getattr(error, "problems", ()), *getattr(error, "faults", ()))
        # An exception of the engine has no code, and that of `Invalid` says nothing.
        if not isinstance(error, Invalid) and hasattr(error, "code"):
            reasons.add(str(error.code))


def kinds_of(base: type[Refused] = Refused) -> Iterator[type[Refused]]:
    """Yield all refusals that have a code; those that refine another's code come last."""
    for each in base.__subclasses__():
        if "code" in vars(each):
            yield each
        yield from kinds_of(each)


THREAD = "wake-worker"
"""The name of threads that wake workers."""

WEBHOOKS_TASK = "tournaments.tasks.sweep_webhooks"

NOTIFY_TASK = "tournaments.tasks.sweep_notifications"


def wake_notifications() -> None:
    """Enqueue a sweep of notifications after the commit."""
    transaction.on_commit(partial(wake_worker, NOTIFY_TASK))


def wake_webhooks() -> None:
    """Enqueue a webhook sweep after the commit: one, however much happens in a transaction."""
    if all(waiting[1] is not _sweep_webhooks for waiting in connection.run_on_commit):
        transaction.on_commit(_sweep_webhooks)


def _sweep_webhooks() -> None:
    wake_worker(WEBHOOKS_TASK)


def wake_worker(task: str, *args: Any) -> None:
    """Enqueue a task at once, in a thread; if the broker is down, a sweep finds the row later.

    A broker that does not answer blocks only its own thread, never the request.
    """
    queue = import_string(settings.TASK_QUEUE)
    # The thread inherits the request's context, so that log lines of the task can name it.
    about = copy_context()
    Thread(target=about.run, args=[_send, queue, task, args], name=THREAD, daemon=True).start()


def _send(queue: Any, task: str, args: tuple[Any, ...]) -> None:
    try:
        queue.send_task(task, args, retry=False)
    # Any error of a broker: the row exists, and the sweep will find it.
    except Exception as error:  # noqa: BLE001
        log.warning("worker not woken for %s %s: %s", task, args, error)


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything inside as of one moment, without blocking writers.

    Inside a transaction already begun, its snapshot applies.
    """
    if connection.in_atomic_block:
        yield
        return
    with _reading(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                # Before the snapshot: a rebuild of ratings exchanges the table, of which a
                # snapshot of before would find nothing.
                table = RatingChange._meta.db_table  # noqa: SLF001 - public in all but its name
                cursor.execute(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
        yield


@contextmanager
def _reading() -> Iterator[None]:
    """Begin SQLite transactions without the write lock that all others take."""
    if connection.vendor != "sqlite":
        yield
        return
    wrapper: Any = connections[DEFAULT_DB_ALIAS]
    # Only an open connection has the setting.
    wrapper.ensure_connection()
    mode, wrapper.transaction_mode = wrapper.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        wrapper.transaction_mode = mode


AT_ONCE = {"strangers": 1, "accounts": 2}
"""How many are computed at a time on one machine: each takes a processor for itself."""


@contextmanager
def place_to_compute(kind: str) -> Iterator[bool]:
    """Take one of the places of a kind, which all processes of a machine share; False if none is.

    A place is a lock on a file: the system frees it when a process is killed, and taking one
    writes nothing. Nobody waits for one, for each who did would hold a thread of the web server.
    """
    folder = settings.COMPUTING_PLACES
    folder.mkdir(exist_ok=True)
    for number in range(AT_ONCE[kind]):
        with closing((folder / f"{kind}-{number}").open("w")) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield True
            return
    yield False


def free_slugs(name: str, instead: str, longest: int, taken: Collection[str]) -> Iterator[str]:
    """Yield slugs like `name` that are not `taken`; `instead` serves a name without letters.

    The iterator never ends, so that two people who choose one name at once get a slug each.
    """
    # Decomposing turns ş into s and ö into o, but does not know ı.
    plain = slugify(name.replace("ı", "i").replace("_", "-"))
    stem = plain[: longest - 5].strip("-") or instead
    slugs = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return (slug for slug in slugs if slug not in taken)
