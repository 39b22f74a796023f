"""Parts of templates that are rendered once for the same values."""

from django.template import engines
from django.utils.translation import override


def test_kept_part_follows_its_values_and_the_language():
    template = engines["django"].from_string(
        "{% load i18n kept %}{% for name in names %}{% kept name loud %}"
        "{{ name }}{% if loud %}!{% endif %} {% translate 'Save' %};{% endkept %}{% endfor %}"
    )
    assert (
        template.render({"names": ["<A>", "B", "<A>"]}) == "&lt;A&gt; Save;B Save;&lt;A&gt; Save;"
    )
    assert template.render({"names": ["B"], "loud": True}) == "B! Save;"
    with override("tr"):
        assert template.render({"names": ["B"]}) == "B Kaydet;"
    assert template.render({"names": ["B"]}) == "B Save;"
