import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from PIL import Image

from docs.looks import architecture, shots
from tests.servers import environment_of
from tournaments.web.site.views import PICTURED, guide_steps

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/**/*.md")]
SHOWN = re.compile(r"!\[[^]]*\]\(([^)\s]+)\)|<(?:img|source)[^>]*?\bsrc(?:set)?=\"([^\"]+)\"")
NAMED = re.compile(r"`([\w.-]+/[\w./-]*)(?:::(\w+))?`")
LINKED = re.compile(r"(?<!!)\[[^]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")
MOST_BYTES = 62_000
"""Of a picture that the script makes; a page of the guide has nine of them."""

MADE = shots.makes()


def targets(pattern):
    for text in TEXTS:
        for found in pattern.finditer(text.read_text()):
            where = next(filter(None, found.groups()))
            if "://" not in where:
                yield text, where


def test_what_documents_show_and_link_is_there():
    found = [*targets(SHOWN), *targets(LINKED)]

    missing = [(text.name, where) for text, where in found if not (text.parent / where).exists()]

    assert missing == []


def test_files_and_tests_named_in_the_table_of_security_are_there():
    named = NAMED.findall((ROOT / "docs/security.md").read_text())

    missing = [path for path, _test in named if not (ROOT / path).exists()]
    missing += [
        f"{path}::{test}"
        for path, test in named
        if test and path not in missing and f"def {test}(" not in (ROOT / path).read_text()
    ]

    assert len(named) > 100
    assert missing == []


def test_pictures_of_the_script_are_there_and_small():
    sizes = {name: path.stat().st_size for name, path in MADE.items()}
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}


def test_guide_has_the_pictures_that_the_script_makes_for_it():
    steps = {Path(step["image"]).stem.partition(".")[0] for step in guide_steps()}
    there = {path.relative_to(shots.GUIDE).as_posix() for path in shots.GUIDE.glob("*/*")}

    assert steps == set(shots.STEPS)
    assert set(PICTURED) == set(shots.LANGUAGES)
    assert there == {f"{language}/{step}.png" for language in PICTURED for step in steps}


@pytest.mark.parametrize("step", shots.STEPS)
def test_pictures_of_a_step_are_of_one_size_in_every_language(step):
    sizes = set()
    for language in PICTURED:
        with Image.open(shots.GUIDE / language / f"{step}.png") as image:
            sizes.add(image.size)
    assert len(sizes) == 1


def test_picture_of_the_layers_is_drawn_from_the_rules():
    drawn = architecture.drawing(architecture.layers())

    assert architecture.DRAWN.read_text() == drawn, "python -m docs.looks.architecture draws it"


BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)

GUIDES = {"en": "directors-guide.md", "tr": "yonetici-rehberi.md"}
NO_BUTTONS = {"bold", "Kalın"}


@pytest.mark.parametrize("language", GUIDES)
def test_buttons_of_the_directors_guide_are_called_so_on_the_site(language):
    with (ROOT / "locale/tr/LC_MESSAGES/django.po").open("rb") as source:
        messages = [message for message in read_po(source, locale="tr") if message.id]
    texts = {message.id if language == "en" else message.string for message in messages}
    # Choices explain themselves behind a colon.
    texts |= {text.partition(":")[0] for text in texts if isinstance(text, str)}

    text = " ".join((ROOT / "docs" / GUIDES[language]).read_text().split())
    # What ends like a sentence begins a paragraph.
    bold = [found for found in BOLD.findall(text) if not found.endswith((".", ":"))]
    buttons = {re.sub(r"\d+", "%(number)s", found) for found in bold}

    assert buttons - texts - NO_BUTTONS == set()


GUIDE = ROOT / "docs" / "new-game.md"
PARTS = ("kingscore", "tournaments", "locale", "templates", "manage.py", "pyproject.toml")
"""Of the project, what a command needs."""

NAMES_OF_GAMES = "RULESETS: Mapping[str, tuple[Text, Text]] = {\n"


@pytest.mark.slow
def test_game_of_the_walk_through_is_played_as_it_says(tmp_path):
    game, name, record, sheet = re.findall(r"```\w+\n(.*?)```", GUIDE.read_text(), re.DOTALL)
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
