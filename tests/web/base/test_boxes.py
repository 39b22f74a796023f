"""Warnings at entry about letters that the fonts of documents lack."""

import pytest
from django.urls import reverse

from tests.club_factories import PlayerFactory, TournamentFactory
from tests.web.tournaments.forms import ANSWERS

WARNING = "No font of this server has these letters; documents show boxes: 小 明 王"


@pytest.fixture
def row(club):
    return TournamentFactory(event__club=club, slug="acik")


def named(page, field="name"):
    return lambda club, _row: (reverse(page, args=[club.slug]), field, {})


def of_tournament(what, field):
    return lambda club, row: (
        reverse("add_entrants", args=[club.slug, row.slug]),
        field,
        {"what": what},
    )


def renamed(club, _row):
    player = PlayerFactory(club=club)
    return reverse("rename_player", args=[club.slug, player.public_id]), "name", {}


ENTRIES = {
    "club": lambda _club, _row: ("/clubs/", "name", {}),
    "settings": lambda club, _row: (
        reverse("club_settings", args=[club.slug]),
        "name",
        {"time_zone": "", "paper": "a4", "confirmations": "none"},
    ),
    "tournament": lambda club, _row: (reverse("new_tournament", args=[club.slug]), "name", ANSWERS),
    "player": named("new_players", "list"),
    "new name": renamed,
    "entrant": of_tournament("one", "name"),
    "list of entrants": of_tournament("list", "list"),
    "list of players": named("new_players", "list"),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_name_that_paper_has_no_letters_for_is_told(owner, club, row, settings, entry):
    settings.DOCUMENT_FONTS = ()
    address, field, more = ENTRIES[entry](club, row)
    pages = {}
    for name in ("Ayşe Çağrı", "王小明"):
        typed = f"{name}\n{name} 2\n" if entry.startswith("list") else name
        page = owner.post(address, {**more, field: typed}, follow=True)
        if entry.startswith("list"):
            sent = {**more, field: typed, "what": "import", "seen": page.context["seen"]}
            page = owner.post(address, sent, follow=True)
        pages[name] = page.text

    assert WARNING in pages["王小明"]
    assert "boxes" not in pages["Ayşe Çağrı"]
