import pytest

from tests.api.answers import faults
from tests.club_factories import AccountFactory, PlayerFactory
from tournaments.models import AuditEntry, Player

pytestmark = pytest.mark.django_db

PLAYERS = "clubs/moda/players/"


def names(answer):
    return [player["name"] for player in answer.json()["results"]]


def of(player):
    return f"{PLAYERS}{player.public_id}/"


def test_players_are_listed_by_name_and_found_as_one_may_know_them(program, director, club):
    for name in ("Çetin", "Cem", "Işık"):
        PlayerFactory(club=club, name=name)
    PlayerFactory(club=club, name="Dilek Gizli", initials=True)
    PlayerFactory(name="Elsewhere")
    member = program.role("member", club)

    assert names(director.get(PLAYERS)) == ["Cem", "Çetin", "Dilek Gizli", "Işık"]
    assert names(member.get(PLAYERS)) == ["Cem", "Çetin", "D. G.", "Işık"]
    assert names(director.get(f"{PLAYERS}?q=gizli")) == ["Dilek Gizli"]
    assert names(member.get(f"{PLAYERS}?q=gizli")) == []
    assert names(member.get(f"{PLAYERS}?initials=true")) == ["D. G."]
    assert names(member.get(f"{PLAYERS}?ordering=-name"))[0] == "Işık"


def test_search_for_more_words_than_a_name_can_have_is_a_search(program, director, club):
    words = "+".join(f"a{number}" for number in range(1500))
    for who in (director, program.role("member", club)):
        for path in (PLAYERS, "clubs/moda/members/"):
            assert who.get(f"{path}?q={words}").json()["results"] == []
    assert program.get(f"games/?name={words}").json()["results"] == []


def test_cursors_lead_through_all_pages_and_tell_no_hidden_name(program, director, club):
    for name in ("Ali", "Dilek Gizli", "Zeki"):
        PlayerFactory(club=club, name=name, initials=name.startswith("Dilek"))
    member = program.role("member", club)
    path, seen = f"{PLAYERS}?page_size=1", []
    while path:
        page = member.get(path).json()
        seen += [player["name"] for player in page["results"]]
        path = (page["next"] or "").removeprefix("http://testserver")
        assert "dilek" not in path
        assert "ZGlsZW" not in path
    assert seen == ["Ali", "D. G.", "Zeki"]
    assert member.get(f"{PLAYERS}?cursor=bm9uZQ").status_code == 404


def test_players_are_added_all_or_none(director, club):
    taken = PlayerFactory(club=club, name="Ayşe")
    refused = director.post(PLAYERS, {"names": ["Burak", "ayşe", "!", "BURAK", ""]})
    assert faults(refused) == [
        ("name-taken", "names.1"),
        ("no-name", "names.2"),
        ("name-twice", "names.3"),
        ("no-name", "names.4"),
    ]
    assert refused.json()["problems"][0]["params"] == {"player": taken.public_id}
    assert Player.objects.count() == 1

    added = director.post(PLAYERS, {"names": [" Burak ", "Cem"]})
    assert added.status_code == 201
    assert [player["name"] for player in added.json()["results"]] == ["Burak", "Cem"]


def test_player_is_renamed_and_shown_by_initials_as_was_read(program, director, club):
    row = PlayerFactory(club=club, name="Ayse Yilmaz")
    PlayerFactory(club=club, name="Cem")
    seen = director.get(of(row))
    changed = director.patch(
        of(row), {"name": "Ayşe Yılmaz", "initials": True}, If_Match=seen["ETag"]
    )
    assert (changed.json()["name"], changed.json()["shown_name"]) == ("Ayşe Yılmaz", "A. Y.")
    assert director.patch(of(row), {"name": "X"}, If_Match=seen["ETag"]).status_code == 412
    taken = director.patch(of(row), {"name": "cem", "initials": False})
    assert (taken.status_code, taken.json()["code"]) == (409, "name-taken")
    assert director.get(of(row)).json()["initials"] is True
    assert faults(director.patch(of(row), {"name": "..."})) == [("no-name", "name")]
    told = program.role("member", club).get(of(row)).json()
    assert (told["name"], told["account"], told["merges"]) == ("A. Y.", None, [])


def test_player_is_untied_from_the_account(director, club):
    user = AccountFactory(first_name="Ayşe")
    row = PlayerFactory(club=club, account=user)
    assert director.get(of(row)).json()["account"] == "Ayşe"
    has_one = director.get(f"{of(row)}card/")
    assert (has_one.status_code, has_one.json()["code"]) == (409, "has-account")
    assert director.post(f"{of(row)}unlink/").json()["account"] is None


def test_card_is_shown_to_those_who_direct_and_made_anew(director, club):
    row = PlayerFactory(club=club)
    card = director.get(f"{of(row)}card/").json()
    assert card["link"].endswith(f"/claim/{row.public_id}/{card['secret']}/")
    assert (card["code"], card["spoiled"]) == (row.claim_code, False)
    new = director.post(f"{of(row)}card/new/").json()
    assert new["secret"] != card["secret"]


def test_two_players_are_merged_and_parted_again(director, club):
    kept, gone = PlayerFactory(club=club, name="Ayşe"), PlayerFactory(club=club, name="Ayse Y.")
    asked = director.get(f"{of(kept)}merge/?other={gone.public_id}").json()
    assert (asked["gone_name"], asked["games"], asked["why_not"]) == ("Ayse Y.", 0, None)
    merged = director.post(f"{of(kept)}merge/", {"other": gone.public_id})
    (merge,) = merged.json()["merges"]
    assert merge["name"] == "Ayse Y."
    assert director.get(of(gone)).status_code == 404
    parted = director.post(f"{of(kept)}merges/{merge['id']}/undo/")
    assert parted.json()["merges"] == []
    assert director.get(of(gone)).status_code == 200


def test_player_is_removed_and_what_is_kept_is_shown_before(director, club):
    row = PlayerFactory(club=club, name="Ayşe")
    data = director.post(f"{of(row)}data/").json()
    assert (data["format"], data["player"]["name"]) == ("kingscore-player/1", "Ayşe")
    assert AuditEntry.objects.filter(action="export").count() == 1
    seen = director.get(of(row))["ETag"]
    director.patch(of(row), {"name": "Ayşe Y."})
    assert director.delete(of(row), If_Match=seen).status_code == 412
    assert director.delete(of(row)).status_code == 204
    assert director.get(of(row)).status_code == 404
    assert Player.objects.get(pk=row.pk).name == ""
