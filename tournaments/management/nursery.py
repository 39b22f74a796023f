"""Start what `up` supervises from one process, which imports everything once.

It sets up what is missing, forks the worker, and becomes the web server: both share its memory.
Nobody here waits for the worker, which becomes a child of the supervisor.
"""

import gc
import json
import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TypedDict


class Task(TypedDict):
    """The options of `up`, and the number of the socket that listens.

    The file `answer_to` gets an `Answer`. The worker is forked where orphans can be adopted.
    """

    host: str
    port: int
    listener: int
    answer_to: int
    forks: bool


class Answer(TypedDict):
    """The commands that start the programs again, and the process id of the worker.

    `failures` is the file that notes how often the worker failed to start.
    """

    found_at: str
    web: list[str]
    worker: list[str]
    failures: str
    pid: int | None


@contextmanager
def faults_in_a_line() -> Iterator[None]:
    """End with a message where the settings are wrong, or a command cannot run."""
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management.base import CommandError

    try:
        yield
    except ImproperlyConfigured as error:
        sys.exit(f"Kingscore cannot run like this:\n{error}")
    except CommandError as error:
        sys.exit(str(error))


def prepare(found_at: list[str]) -> int:
    """Set up what is missing in a child, whose memory ends with it; return its process id."""
    pid = os.fork()
    if not pid:
        from tournaments.management.commands import up

        with faults_in_a_line():
            up.prepare()
        up.announce(found_at)
        sys.exit()
    return pid


def wait_for(pid: int) -> None:
    """Wait for the end of a child, and end like it if it failed."""
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        sys.exit(abs(status))


def fork_worker(task: Task, answer: Answer) -> bool:
    """Give the answer, and return whether this process is the worker."""
    between = os.fork()
    if between:
        # The worker is an orphan from here on, and a child of the supervisor.
        os.waitpid(between, 0)
        return False
    if pid := os.fork():
        give(task, {**answer, "pid": pid})
        os._exit(0)
    os.setsid()
    os.close(task["listener"])
    return True


def give(task: Task, answer: Answer) -> None:
    """Tell the supervisor what was started."""
    os.write(task["answer_to"], json.dumps(answer).encode())


def run(words: list[str]) -> None:
    """Run a module as `python -m` does."""
    sys.argv = list(words)
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def main() -> None:
    """Set up, import, and become the web server and the worker."""
    # Nearly all that is imported stays: looking for garbage meanwhile takes a fifth of the time.
    gc.disable()
    task: Task = json.loads(sys.argv[1])
    from tournaments.management.programs import (
        addresses,
        project,
        web_words_of_up,
        worker_words,
    )

    found_at = addresses(task["host"], task["port"])
    # For e-mails and QR codes: phones can reach the last one, too.
    os.environ["KINGSCORE_FOUND_AT"] = found_at[-1]
    with faults_in_a_line():
        import django

        django.setup()
    preparing = prepare(found_at)
    # Import what web server and worker share.
    from django.conf import settings

    import_module(f"{project()}.preloading")
    wait_for(preparing)
    # Looks at the files that have been collected.
    import_module(settings.ASGI_APPLICATION.rpartition(".")[0])
    answer = Answer(
        found_at=found_at[-1],
        web=web_words_of_up(task["listener"]),
        worker=worker_words(beat=True),
        failures=str(settings.WORKER_FAILURES),
        pid=None,
    )
    # The garbage collector would write to the memory that both share.
    gc.collect()
    gc.freeze()
    gc.enable()
    if not task["forks"]:
        give(task, answer)
    is_worker = task["forks"] and fork_worker(task, answer)
    os.close(task["answer_to"])
    run(answer["worker"] if is_worker else answer["web"])


if __name__ == "__main__":
    main()
