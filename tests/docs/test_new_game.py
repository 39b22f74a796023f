"""The walk-through for a new game in `docs/new-game.md`, taken at its word."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import environment_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "new-game.md"
PARTS = ("kingscore", "tournaments", "locale", "templates", "manage.py", "pyproject.toml")
"""Of the project, what a command needs."""

NAMES_OF_GAMES = "RULESETS: Mapping[str, tuple[Text, Text]] = {\n"


def blocks():
    """The blocks of the walk-through, each by its language, in order."""
    return re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(), re.DOTALL)


def test_game_of_the_walk_through_is_played_as_it_says(tmp_path):
    (_, game), (_, name), (_, record), (_, sheet) = blocks()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    (tmp_path / "tournaments/engine/variants/little_king.py").write_text(game)
    words = tmp_path / "tournaments/texts/labels.py"
    before, found, after = words.read_text().partition(NAMES_OF_GAMES)
    words.write_text(before + found + name + after)
    (tmp_path / "game.json").write_text(record)

    done = subprocess.run(
        [sys.executable, "manage.py", "score", "--table", "game.json"],
        cwd=tmp_path,
        env=environment_of(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )

    assert found
    assert done.stdout == sheet, done.stderr
    assert done.returncode == 0
