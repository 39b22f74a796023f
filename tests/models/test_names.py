import pytest

from tests.club_factories import ClubFactory, PlayerFactory
from tests.factories import EVENING
from tournaments.models import Player
from tournaments.models.people import fold_name, plain_name

pytestmark = pytest.mark.django_db


def test_names_are_one_up_to_case_dots_and_spaces_and_letters_with_marks_are_others():
    for one, other in (
        *(("IŞIL", "ışıl"), ("İpek", "ipek"), ("İPEK", "Ipek"), ("Işık", "İşik")),
        *(("  Ayşe   Nur ", "ayşe nur"), ("Ayşe\u00a0Nur", "ayşe nur"), ("STRAßE", "strasse")),
        *(("Çınar", "C\u0327ınar"), ("I\u0307pek", "İpek")),
    ):
        assert fold_name(one) == fold_name(other)
    for one, other in (("Çan", "Can"), ("Şen", "Sen"), ("Öz", "Oz")):
        assert fold_name(one) != fold_name(other)
        assert plain_name(one) == plain_name(other)


def test_players_are_sorted_as_in_a_turkish_dictionary():
    names = ["Dal", "Çan", "Can", "Cz", "Ça", "Suna", "Şule", "Szymon", "Tuna", "Gul", "Ğ", "Han"]
    club = ClubFactory()
    for name in names:
        PlayerFactory(club=club, name=name)

    found = [player.name for player in Player.objects.all()]

    assert found == [
        *("Can", "Cz", "Ça", "Çan", "Dal", "Gul", "Ğ", "Han", "Suna", "Szymon", "Şule", "Tuna")
    ]


def test_players_are_found_by_parts_of_their_names():
    club = ClubFactory()
    for name in ("Sıla Can", "Işıl Çınar"):
        PlayerFactory(club=club, name=name)

    for text, found in (
        *((text, ["Işıl Çınar"]) for text in ("isil", "ÇINAR", "cinar işıl")),
        *(("", ["Işıl Çınar", "Sıla Can"]), ("can i", ["Sıla Can"]), ("nobody", []), ("%", [])),
    ):
        assert [player.name for player in Player.objects.matching(text)] == found


def test_name_that_is_changed_is_compared_as_it_is_then():
    player = PlayerFactory(name="Işıl")
    player.name = "Sıla"
    player.save(update_fields=["name"])

    assert Player.objects.called("SILA").get() == player
    assert not Player.objects.called("ışıl").exists()


def test_player_shown_by_initials_and_one_removed_are_shown_so():
    assert PlayerFactory(name="Işıl Nur Çınar", initials=True).shown_name == "I. N. Ç."
    assert PlayerFactory(name="", removed_at=EVENING).shown_name == ""
