import re

import pytest
from django.conf import settings

TEMPLATES, STATIC = settings.BASE_DIR / "templates", settings.BASE_DIR / "static"
NAMED = re.compile(r"\{% static '([^/']+\.js)' %\}")
SCRIPT = re.compile(r"<script src=\"\{% static '([^/']+\.js)' %\}\"")
IMPORT = re.compile(r'^import .* from "\./(.+)";$', re.MULTILINE)
PAGES = [page for page in TEMPLATES.rglob("*.html") if SCRIPT.search(page.read_text())]


def imported_by(module):
    direct = set(IMPORT.findall((STATIC / module).read_text()))
    return direct.union(*map(imported_by, direct))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_names_all_modules_that_its_scripts_import(page):
    text = page.read_text()
    needed = set().union(*map(imported_by, SCRIPT.findall(text)))
    assert needed <= set(NAMED.findall(text))


def test_imports_of_the_table_page_are_found():
    assert {"kept.js", "counts.js", "table.js"} < imported_by("outbox.js")
