"""Parts of pages that are drawn in Jinja2."""

from datetime import UTC, datetime

from django.template import engines
from django.template.loader import render_to_string
from django.utils import translation

SAYS = "tournaments/games/deals/_says.html"


def drawn(source, **values):
    return engines["fragments"].from_string(source).render(values)


def test_fragment_is_compiled_once_for_each_language():
    with translation.override("tr"):
        turkish = render_to_string(SAYS)
    with translation.override("en"):
        english = render_to_string(SAYS)

    assert 'data-complete="Complete"' in english
    assert 'data-complete="Tamam"' in turkish


def test_values_are_escaped_also_in_texts():
    source = "{{ name }} {% trans name=name %}Sealed by {{ name }}{% endtrans %}"
    assert drawn(source, name="<b>") == "&lt;b&gt; Sealed by &lt;b&gt;"


def test_missing_values_are_empty():
    assert drawn("{{ nobody.name }}{{ nobody.age|default_if_none('–') }}") == "–"


def test_days_are_those_of_the_local_time():
    moment = datetime(2026, 11, 27, 22, tzinfo=UTC)
    assert drawn("{{ moment|date('Y-m-d') }}", moment=moment) == "2026-11-28"


def test_part_is_rendered_once_for_the_same_values():
    source = '{% call kept("test", line) %}{{ line }} {{ other }}{% endcall %}'

    assert drawn(source, line="a", other=1) == "a 1"
    assert drawn(source, line="a", other=2) == "a 1"
    assert drawn(source, line="b", other=2) == "b 2"
    with translation.override("tr"):
        assert drawn(source, line="a", other=3) == "a 3"


def test_page_of_django_shows_a_fragment_with_its_context(rf):
    page = engines["django"].from_string(
        '{% load fragments %}{% fragment "tournaments/games/_members.html" %}'
    )
    shown = page.render({"members": [(0, "A&B"), (1, "C")]}, rf.get("/"))

    assert '<span class="who seat-0">A&amp;B</span> + <span' in shown
