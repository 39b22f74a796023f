import pytest
from django.test import Client
from django.urls import reverse

GUIDE = reverse("guide")


@pytest.mark.parametrize("language", ["en", "tr", "it"])
def test_guide_shows_pictures_of_the_readers_language(language):
    page = Client(headers={"accept-language": language}).get(GUIDE).content.decode()

    assert page.count(f"guide/{language}/") == 9


def test_guide_shows_the_first_pictures_where_there_are_none_of_the_language(settings):
    settings.LANGUAGES = [*settings.LANGUAGES, ("fr", "French")]

    page = Client(headers={"accept-language": "fr"}).get(GUIDE).content.decode()

    assert page.count("guide/en/") == 9
