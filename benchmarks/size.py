"""How much there is to read: lines, files, functions, and those that one errand passes.

`make size` prints each figure beside its limit in `pyproject.toml` (`[tool.kingscore.size]`) and
fails where one is above, or has no limit. A commit that makes the program smaller lowers the limits
to its figures; raising one needs a commit of its own, with the reason.

Product is `kingscore/` and `tournaments/` without migrations. Logical lines are without blanks,
comments, docstrings and imports. A single-use function is named once outside its definition, in its
own file. An errand is a request of Django's test client: files and named functions are those of the
product that run for it.
"""

import ast
import io
import os
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

import django
from django.core.management import call_command

from benchmarks.one import ROOT

PRODUCT = ("kingscore", "tournaments")
OWN = tuple(f"{ROOT / name}/" for name in PRODUCT)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
UNREAD = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
}  # fmt: skip


def product() -> list[Path]:
    """Return the files of the product."""
    files = (path for name in PRODUCT for path in (ROOT / name).rglob("*.py"))
    return sorted(path for path in files if "migrations" not in path.parts)


def logical_lines(source: str, tree: ast.Module) -> int:
    """Return the lines of code without blanks, comments, docstrings and imports."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in UNREAD:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if (alone and isinstance(node.value.value, str)) or isinstance(
            node, ast.Import | ast.ImportFrom
        ):
            lines.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


def static_figures() -> dict[str, int]:
    """Return the figures that are counted in the files."""
    lines = logical = dataclasses = 0
    files = product()
    defined: list[tuple[Path, str]] = []
    named: dict[str, Counter[Path]] = {}
    for path in files:
        source = path.read_text()
        tree = ast.parse(source)
        lines += source.count("\n")
        logical += logical_lines(source, tree)
        for node in ast.walk(tree):
            if isinstance(node, FUNCTIONS):
                defined.append((path, node.name))
            elif isinstance(node, ast.ClassDef):
                dataclasses += any("dataclass" in ast.unparse(d) for d in node.decorator_list)
            elif isinstance(node, ast.Name | ast.Attribute | ast.alias):
                name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)
                name = name or getattr(node, "name", "").rpartition(".")[2]
                named.setdefault(name, Counter())[path] += 1
    once = sum(named.get(name) == {path: 1} for path, name in defined)
    tests = [path.read_text().count("\n") for path in (ROOT / "tests").rglob("*.py")]
    return {
        "files": len(files),
        "lines": lines,
        "logical": logical,
        "functions": len(defined),
        "single-use": once,
        "dataclasses": dataclasses,
        "test-lines": sum(tests),
    }


def run_by(act: Callable[[], object]) -> Counter[CodeType]:
    """Return how often each function of the product runs while `act` does."""
    calls = Counter[CodeType]()

    def count(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OWN):
            calls[frame.f_code] += 1

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls


def errands() -> Iterator[tuple[str, Counter[CodeType]]]:
    """Yield the name of each errand and what runs for it, on an empty database."""
    # Factories and models need the settings.
    from django.test import Client
    from django.urls import reverse
    from django.utils import timezone

    from tests.club_factories import MemberFactory, TableFactory
    from tests.deals import WHOLE_GAME
    from tests.factories import GameFactory
    from tests.phones import deal_fields, new_key
    from tests.tournament_builders import play, published, running
    from tournaments.models import Game
    from tournaments.services.audit import NOBODY
    from tournaments.services.rounds.running import close_round, open_round

    def post_deal(browser: Client, game: Game, number: int) -> None:
        """Post deal `number` as a phone that has seen all deals before it."""
        fields = deal_fields(WHOLE_GAME[number], number, new_key())
        path = reverse("record", args=[game.public_id, game.secret("write")])
        answer = browser.post(path, fields, headers={"hx-request": "true"})
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    for place, game in (("open", GameFactory()), ("club", TableFactory().games.get())):
        browser, middle = Client(), len(WHOLE_GAME) // 2
        for number in range(middle):
            post_deal(browser, game, number)
        act = partial(post_deal, browser, game, middle)
        yield f"deal-at-{place}-table", run_by(act)

    tournament = running(*(f"Oyuncu {number}" for number in range(8)), rounds=3)
    round_ = open_round(published(tournament).pk, NOBODY, at=timezone.now())
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    director = Client()
    director.force_login(MemberFactory(club=tournament.event.club, role="director").user)
    args = [tournament.event.club.slug, tournament.slug]

    def answered(method: str, name: str, *more: int) -> None:
        answer = getattr(director, method)(reverse(name, args=[*args, *more]))
        if answer.status_code not in (200, 302):
            raise RuntimeError(f"{name} answered {answer.status_code}")

    # The first request of a client also sets up the middleware.
    answered("get", "seating", 1)
    yield "seat-round", run_by(lambda: answered("post", "seat_round"))
    yield "seating-page", run_by(lambda: answered("get", "seating", 2))
    yield "tournament-page", run_by(lambda: answered("get", "tournament"))


def main() -> int:
    limits = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["kingscore"]["size"]
    figures = static_figures()
    with TemporaryDirectory(prefix="kingscore-size-") as folder:
        os.environ.update(KINGSCORE_DATA=folder, DJANGO_SETTINGS_MODULE="benchmarks.settings")
        django.setup()
        call_command("migrate", verbosity=0)
        for name, calls in errands():
            files = Counter[str]()
            for code, number in calls.items():
                files[str(Path(code.co_filename).relative_to(ROOT))] += number
            if name in sys.argv[1:]:
                for file, number in files.most_common():
                    print(f"{number:8,}  {file}")
            named = [code for code in calls if not code.co_name.startswith("<")]
            figures |= {f"{name}-files": len(files), f"{name}-functions": len(named)}
    above = {name for name, figure in figures.items() if figure > limits.get(name, -1)}
    for name, figure in figures.items():
        mark = "ABOVE" if name in above else ""
        print(f"{figure:8,}  {name:30} {limits.get(name, 0):8,}  {mark}".rstrip())
    for name in sorted(limits.keys() - figures.keys()):
        print(f"{name} has a limit in pyproject.toml, but is no figure")
    return 1 if above or limits.keys() - figures.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
