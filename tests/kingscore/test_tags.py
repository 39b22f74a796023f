import pytest
from django.template import Context, engines
from django.urls import NoReverseMatch, reverse
from django.utils.translation import override

HEAD = "{% load i18n %}"


def draw(source, languages=("en",), **values):
    """What a template shows in each language, one after the other."""
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
