from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import get_finders
from django.template import Context, engines
from django.urls import NoReverseMatch, reverse
from django.utils.translation import override

from kingscore.static_files import ModuleStorage, without_comments

HEAD = "{% load i18n %}"


def draw(source, languages=("en",), **values):
    made, shown = engines["django"].engine.from_string(HEAD + source), []
    for language in languages:
        with override(language):
            shown.append(made.render(Context(values)))
    return shown


def test_text_is_shown_in_the_language_of_each_visitor():
    languages = ["en", "tr", "en", "tr"]

    assert draw('{% translate "Players" %}', languages) == ["Players", "Oyuncular"] * 2


def test_text_of_a_variable_is_looked_up_each_time():
    made = engines["django"].engine.from_string(HEAD + "{% translate text %}")

    assert [made.render(Context({"text": text})) for text in ("a", "<b>")] == ["a", "&lt;b&gt;"]


def test_address_follows_its_arguments():
    source = "{% for slug in slugs %}{% url 'players' slug %} {% endfor %}"
    addresses = [reverse("players", args=[slug]) for slug in ("one", "two")]

    assert draw(source, slugs=["one", "two"])[0].split() == addresses


def test_address_is_kept_as_a_variable():
    source = "{% url 'players' 'one' as at %}{% url 'nowhere' as none %}[{{ at }}][{{ none }}]"

    assert draw(source) == [f"[{reverse('players', args=['one'])}][]"]


def test_address_that_does_not_exist_is_an_error():
    with pytest.raises(NoReverseMatch):
        draw("{% url 'nowhere' %}")


KEPT = {"account", "admin", "guide", "icons", "mfa", "vendor"}


def test_folders_of_apps_whose_pages_nobody_opens_are_left_out():
    found = {Path(name) for finder in get_finders() for name, _storage in finder.list([])}
    assert {path.parts[0] for path in found if len(path.parts) > 1} == KEPT


def test_comments_of_our_files_are_not_sent_and_licences_of_others_are():
    script = "// Why.\nconst at = `http://x`; // stays\n  // Why.\nrun();\n"
    assert without_comments("who.js", script) == "const at = `http://x`; // stays\nrun();\n"
    assert without_comments("who.css", "/* Why:\n a */\na { color: red; }") == "a { color: red; }"
    assert without_comments("vendor/htmx/htmx.js", script) == script


def test_file_is_compressed_under_the_name_that_pages_use_alone(tmp_path, settings):
    settings.BUNDLES = {}
    storage = ModuleStorage(location=tmp_path, base_url="/static/")
    (tmp_path / "who.css").write_text("a { color: red; }\n" * 99)
    list(storage.post_process({"who.css": (storage, "who.css")}))
    named = storage.stored_name("who.css")

    assert named != "who.css"
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".json"} == {
        *("who.css", named),
        *(f"{named}.gz", f"{named}.br"),
    }
