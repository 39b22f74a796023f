"""No text stays untranslated; `make check` looks at those of the project."""

import json
import re
import tomllib
from datetime import date
from gettext import GNUTranslations

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import translation
from django.utils.formats import date_format

from tournaments.reports.sheets import written_date

PYTHON = """
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext
_("A deal")
gettext_lazy("A table")
ngettext("%(n)s trick", "%(n)s tricks", 3)
pgettext("card", "King")
"""
TEMPLATE = """
    {% load i18n %}<p title="{% translate "Undo" %}">
  {% translate "Heart" context "card" %}{{ _("In a variable") }}
{% blocktranslate trimmed %}
    Two
    lines
{% endblocktranslate %}
  {% blocktranslate count n=n %}{{ n }} player{% plural %}{{ n }} players{% endblocktranslate %}
"""
FOUND = {
    "A deal",
    "A table",
    ("%(n)s trick", "%(n)s tricks"),
    ("card", "King"),
    "Undo",
    ("card", "Heart"),
    "In a variable",
    "Two lines",
    ("%(n)s player", "%(n)s players"),
}


@pytest.fixture
def project(settings, tmp_path):
    (tmp_path / "tournaments").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "tournaments/play.py").write_text(PYTHON)
    (tmp_path / "templates/page.html").write_text(TEMPLATE)
    (tmp_path / "locale").mkdir()
    (tmp_path / "locale/terms.toml").write_text("rule = []")
    settings.BASE_DIR = tmp_path
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    settings.LANGUAGES = [("en", "English"), ("tr", "Türkçe")]
    return tmp_path


def catalogue(project):
    with (project / "locale/tr/LC_MESSAGES/django.po").open("rb") as source:
        return read_po(source, locale="tr")


def translate_all(project):
    po = project / "locale/tr/LC_MESSAGES/django.po"
    po.write_text(po.read_text().replace('msgstr ""\n\n', 'msgstr "x"\n\n').strip() + "\n")
    text = po.read_text()
    for plural in ("%(n)s trick", "%(n)s player"):
        at = text.index(f'msgid "{plural}"')
        text = text[:at] + text[at:].replace('msgstr[0] ""', 'msgstr[0] "%(n)s"', 1)
    po.write_text(text.removesuffix('msgstr ""\n') + 'msgstr "x"\n' * text.endswith('msgstr ""\n'))


def complaints():
    with pytest.raises(CommandError) as caught:
        call_command("collect_messages", "--check")
    return str(caught.value).splitlines()


def test_collect_finds_every_kind_of_text(project, capsys):
    call_command("collect_messages")

    found = {
        (message.context, message.id) if message.context else message.id
        for message in catalogue(project)
        if message.id
    }
    assert found == FOUND


@pytest.fixture
def po(project):
    """The catalogue of a project that is translated whole."""
    call_command("collect_messages")
    translate_all(project)
    return project / "locale/tr/LC_MESSAGES/django.po"


PO = "locale/tr/LC_MESSAGES/django.po"


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        ("templates/page.html", r"\Z", "{% translate 'New' %}", "tr: missing: 'New'"),
        ("tournaments/play.py", r'_\("A deal"\)', "", "tr: stale: 'A deal'"),
        (PO, r'"King"\nmsgstr "x"', '"King"\nmsgstr ""', "tr: empty: 'King' (card)"),
        (PO, r'"%\(n\)s"', '"%(m)s"', "tr: wrong: "),
        (PO, r"\Z", '\n#~ msgid "Gone"\n#~ msgstr "x"\n', "tr: not as this command writes it"),
    ],
)
@pytest.mark.usefixtures("po")
def test_check_passes_when_all_is_translated_and_names_what_is_not(
    project, file, before, after, said
):
    call_command("collect_messages", "--check")

    text = (project / file).read_text()
    (project / file).write_text(re.sub(before, lambda _: after, text, count=1))

    (found,) = complaints()
    assert found.startswith(said)


TERMS = tomllib.loads((settings.LOCALE_PATHS[0] / "terms.toml").read_text())["rule"]


@pytest.mark.parametrize("rule", TERMS, ids=lambda rule: rule["why"])
def test_each_rule_finds_the_text_that_breaks_it(project, settings, rule):
    language = rule["in"][0]
    english = rule["wrong"] if language == "en" else rule.get("english", "Text")
    settings.LANGUAGES = [("en", ""), ("it" if language == "it" else "tr", "")]
    (project / "tournaments/play.py").write_text(f"from x import _\n_({english!r})")
    (project / "templates/page.html").unlink()
    call_command("collect_messages")
    for po in project.glob("locale/*/LC_MESSAGES/django.po"):
        translated = f"msgstr {json.dumps(rule['wrong'], ensure_ascii=False)}\n"
        po.write_text(po.read_text().removesuffix('msgstr ""\n') + translated)
    parts = {key: rule[key] for key in ("of", "never", "always", "why") if key in rule}
    lines = [f"{key} = {json.dumps(part)}" for key, part in parts.items()]
    terms = "\n".join(["[[rule]]", f"in = ['{language}']", *lines, "[rule.except]\n{} = 'reason'"])

    (project / "locale/terms.toml").write_text(terms.replace("{}", "Other"))
    found, needless = complaints()
    assert found == f"{language}: {english!r}: {rule['why']}"
    assert needless.startswith("needs no exception: 'Other'")

    (project / "locale/terms.toml").write_text(terms.replace("{}", json.dumps(english)))
    call_command("collect_messages", "--check")


def test_collecting_again_changes_nothing_and_keeps_translations(project, po):
    call_command("collect_messages")
    before = po.read_text()

    call_command("collect_messages")

    assert po.read_text() == before
    assert "Date" not in before
    assert catalogue(project)["A deal"].string == "x"


def test_compiling_writes_what_gettext_reads_and_only_when_needed(po):
    call_command("compile_translations", verbosity=0)
    compiled = po.with_suffix(".mo")
    first = compiled.stat().st_mtime_ns

    call_command("compile_translations", verbosity=0)

    with compiled.open("rb") as source:
        turkish = GNUTranslations(source)
    assert turkish.gettext("A deal") == "x"
    assert turkish.ngettext("%(n)s trick", "%(n)s tricks", 3) == "%(n)s"
    assert compiled.stat().st_mtime_ns == first


@pytest.mark.parametrize(("language", "march"), [("tr", "Mart"), ("it", "Marzo")])
def test_no_word_of_the_games_takes_the_place_of_a_month(language, march):
    with translation.override(language):
        assert date_format(date(2026, 3, 1), "F").lower() == march.lower()


@pytest.mark.parametrize(
    ("language", "long", "short", "with_weekday"),
    [
        ("en", "8 December 2026", "8 Dec", "Tuesday, 8 December"),
        ("tr", "8 Aralık 2026", "8 Ara", "8 Aralık Salı"),
        ("it", "8 dicembre 2026", "8 dic", "martedì 8 dicembre"),
    ],
)
def test_dates_are_written_as_the_language_writes_them(language, long, short, with_weekday):
    day = date(2026, 12, 8)
    with translation.override(language):
        assert date_format(day, "DATE_FORMAT") == long
        assert date_format(day, "MONTH_DAY_FORMAT") == short
        weekday = translation.pgettext("date with its weekday", "l, j F")
        assert date_format(day, weekday) == with_weekday
        assert written_date("2026-12-08") == long
