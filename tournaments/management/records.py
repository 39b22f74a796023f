"""The commands that compute records: `pair` and `score`, without starting Django.

Their command classes call `run_pair` and `run_score`; `manage.py` calls `run_at_once`, which saves
the second that Django takes to start.
"""

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from tournaments.engine.documents.games import Reading, parse_json, read_game, write_result
from tournaments.engine.rules.rulesets import InvalidEntry

STDIN = "-"
SOME_HAVE_PROBLEMS = 1
A_FILE_CANNOT_BE_READ = 2
READER_LEFT = 141
"""As of a program that a broken pipe ended."""


class Output(Protocol):
    """An output of a command."""

    def write(self, text: str, /) -> Any: ...


def add_files(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="“-” is standard input")


def add_arguments_of_score(parser: ArgumentParser) -> None:
    add_files(parser)
    parser.add_argument("--table", action="store_true", help="the scoresheet as text")


def run_score(
    files: Sequence[str], out: Output, err: Output, show: Callable[[Reading], str] | None = None
) -> int:
    """Write a line for each game of the files, or what `show` makes of it; return the status."""

    def answer(text: bytes) -> tuple[str, bool]:
        try:
            reading = read_game(parse_json(text))
        except InvalidEntry as error:
            reading = Reading(None, problems=error.problems)
        result = json.dumps(write_result(reading)) if show is None else show(reading)
        return result, not reading.problems

    return answer_all(files, answer, out, err)


def run_pair(files: Sequence[str], out: Output, err: Output) -> int:
    """Write a seating for each document of the files, one a line; return the status."""
    # It takes most of the start, which `score` can spare.
    from tournaments.engine.documents.pairings import seat_document, write_refusal

    def answer(text: bytes) -> tuple[str, bool]:
        try:
            seating = seat_document(parse_json(text))
        except InvalidEntry as invalid:
            seating = write_refusal(invalid.problems)
        return json.dumps(seating), "problems" not in seating

    return answer_all(files, answer, out, err)


def answer_all(
    files: Sequence[str], answer: Callable[[bytes], tuple[str, bool]], out: Output, err: Output
) -> int:
    """Write the answer to each document; return the worst status of all."""
    status = 0
    for file in files:
        try:
            text = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
        except OSError as error:
            err.write(f"{file}: {error.strerror}\n")
            status = A_FILE_CANNOT_BE_READ
            continue
        for document in documents_in(file, text):
            written, valid = answer(document)
            out.write(written if written.endswith("\n") else f"{written}\n")
            if not valid:
                status = max(status, SOME_HAVE_PROBLEMS)
    return status


def documents_in(file: str, text: bytes) -> Iterator[bytes]:
    """Yield one document per file, or one per line; standard input may be either."""
    lines = [line for line in text.split(b"\n") if line.strip()]
    is_one_a_line = file.endswith(".jsonl")
    if file == STDIN and len(lines) > 1 and _parse(text) is None:
        # The text is no document, but some line of it is; other lines may be bad.
        is_one_a_line = any("format" in (_parse(line) or {}) for line in lines)
    if is_one_a_line:
        yield from lines
    else:
        yield text


def _parse(text: bytes) -> dict[str, Any] | None:
    try:
        document = parse_json(text)
    except InvalidEntry:
        return None
    return document if isinstance(document, dict) else None


# Without Django.

HELP = {
    "pair": "Seat the next round of kingscore-pairing/1 documents, one seating a line.",
    "score": "Check and score kingscore-game/1 records, one result a line.",
}


def run_at_once(arguments: Sequence[str]) -> int | None:
    """Run a command line of `manage.py` without Django, and return its status.

    Return None if it needs Django: another command, its options, or texts in a language.
    """
    command = arguments[0] if arguments else ""
    if command not in HELP:
        return None
    further = "Django's options, such as --traceback, work too: manage.py help check names them."
    parser = ArgumentParser(f"manage.py {command}", description=HELP[command], epilog=further)
    ADDING[command](parser)
    options, others = parser.parse_known_args(arguments[1:])
    if others or getattr(options, "table", False):
        return None
    try:
        status = RUNNING[command](options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has enough. Python would complain again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT
    return status


ADDING: Mapping[str, Callable[[ArgumentParser], None]] = {
    "pair": add_files,
    "score": add_arguments_of_score,
}
RUNNING: Mapping[str, Callable[[Namespace], int]] = {
    "pair": lambda options: run_pair(options.files, sys.stdout, sys.stderr),
    "score": lambda options: run_score(options.files, sys.stdout, sys.stderr),
}
