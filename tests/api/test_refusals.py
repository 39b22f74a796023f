import pytest
from django.urls import reverse

from tests.club_factories import MemberFactory, SeasonFactory
from tournaments.models.clubs import Role


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "There is a season with this name."),
        ("tr", "Bu adda bir sezon var."),
        ("it", "C’è già una stagione con questo nome."),
    ],
)
def test_page_and_api_tell_a_refusal_alike(program, client, language, sentence):
    club = SeasonFactory(name="2026").club
    director = MemberFactory(club=club, role=Role.DIRECTOR).user
    dates = {"name": "2026", "starts_on": "2026-01-01", "ends_on": "2026-12-31"}
    client.force_login(director)

    page = client.post(
        reverse("seasons", args=[club.slug]), dates, headers={"Accept-Language": language}
    )
    answer = program.as_(director).post(
        f"clubs/{club.slug}/seasons/", dates, Accept_Language=language
    )

    assert page.context["form"].errors["name"] == [sentence]
    assert (answer.status_code, answer.json()["code"]) == (409, "season-name-taken")
    assert answer.json()["title"] == sentence
