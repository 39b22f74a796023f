import json
import re

import pytest
from django.urls import reverse

from tests import club_factories as make
from tests.club_factories import TableFactory as Table
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.engine.documents.games import read_game
from tournaments.models import AuditEntry, Game, Member, Merge, Player, Revision
from tournaments.models.people import MOST_WRONG_CLAIMS
from tournaments.queries import players
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.services.audit import NOBODY
from tournaments.services.people.merging import merge_players


def page_of(name, player, *args):
    return reverse(name, args=[player.club.slug, player.public_id, *args])


def listed(answer):
    return re.findall(r'/players/\w{10}/">([^<]+)</a>', answer.text)


LIST, NEW = "/clubs/moda/players/", "/clubs/moda/players/new/"


# the list


def test_members_see_the_players_of_their_club_as_those_wish(member, club):
    for name, initials in (("Şule Ak", False), ("Burak Tan", True)):
        make.PlayerFactory(club=club, name=name, initials=initials)
    make.PlayerFactory(name="Of another club")
    make.PlayerFactory(club=club, name="", removed_at=EVENING)
    make.PlayerFactory(
        club=club, name="Gone", merged_into=make.PlayerFactory(club=club, name="Kept")
    )

    assert listed(member.get(LIST)) == ["B. T.", "Kept", "Şule Ak"]


def test_whoever_is_shown_by_initials_is_not_found_by_the_name(visitor, club):
    make.PlayerFactory(club=club, name="Şule Ak", initials=True)

    assert listed(visitor.become("member", club).get(LIST, {"q": "sule"})) == []
    assert listed(visitor.become("director", club).get(LIST, {"q": "sule"})) == ["Şule Ak"]


@pytest.mark.parametrize(
    ("language", "order"),
    [("tr", "Can Çağ ıtır İbrahim İREM Zoë"), ("it", "Çağ Can İbrahim İREM ıtır Zoë")],
)
def test_players_stand_as_the_language_sorts_them(member, club, language, order):
    for name in sorted(order.split()):
        make.PlayerFactory(club=club, name=name)
    reader = {"Accept-Language": language}

    assert listed(member.get(LIST, headers=reader)) == order.split()
    found = listed(member.get(LIST, {"q": "i"}, headers=reader))
    assert found == [name for name in order.split() if name[0] in "ıİ"]


@pytest.mark.parametrize("number", [99, 100, 101, 149, 151])
def test_every_player_stands_on_one_page(member, club, number, monkeypatch):
    # From there on the database orders the names.
    monkeypatch.setattr(players, "MOST_SORTED", 100)
    names = [f"ali {n:03}" for n in range(number)]
    Player.objects.bulk_create(
        Player(club=club, name=name, name_key=name, search_key=name, created_at=EVENING)
        for name in names
    )

    pages = [listed(member.get(LIST, {"page": page})) for page in range(1, -(-number // 50) + 1)]

    assert [name for page in pages for name in page] == names
    assert listed(member.get(LIST, {"page": "999"})) == pages[-1]


def test_live_search_is_answered_with_the_list_only(member, club):
    make.PlayerFactory(club=club, name="Şule")

    answer = member.get(LIST, {"q": "su"}, headers={"HX-Request": "true"})

    assert listed(answer) == ["Şule"]
    assert answer.text.lstrip().startswith('<div id="found"')


# adding


def test_director_adds_one_player_at_once_and_a_pasted_list_after_a_look(director, club):
    make.EventFactory(club=club)
    one = director.post(NEW, {"list": " Şule\n"}, follow=True)
    again = director.post(NEW, {"list": "şule"})
    seen = director.post(NEW, {"list": "Şule\nBurak;0532 111 22 33\nCem;\n"})
    sent = {"list": seen.context["typed"].text, "what": "import", "seen": seen.context["seen"]}
    added = director.post(NEW, sent, follow=True)

    assert ("1 player is added." in one.text, "there already" in again.text) == (True, True)
    assert listed(added) == ["Burak", "Cem", "Şule"]
    assert "2 players are added." in added.text


# one player


def games_of(club, player, number, entries=WHOLE_GAME[:2]):
    round_ = make.RoundFactory(event=make.EventFactory(club=club, name="Cuma"))
    for _ in range(number):
        make.TableFactory(round=round_, players=[player.name, "B", "C", "D"], entries=entries)


# what a director does


def test_director_renames_a_player(director, club):
    player = make.PlayerFactory(club=club, name="Şule")
    games_of(club, player, 1)

    answer = director.post(page_of("rename_player", player), {"name": "Şule Ak"})

    assert answer.url == page_of("player", player)
    assert Game.objects.get().players[0] == "Şule Ak"
    assert AuditEntry.objects.get(action="rename").user == director.user


def test_name_that_cannot_be_is_refused_beside_the_field(director, club):
    make.PlayerFactory(club=club, name="Işıl")
    player = make.PlayerFactory(club=club, name="Şule")

    answer = director.post(page_of("rename_player", player), {"name": "IŞIL"})

    assert answer.status_code == 422
    assert answer.context["form"].errors["name"] == [
        "There is already a player called Işıl. Are they one person? Then merge the two."
    ]
    assert 'value="IŞIL"' in answer.text
    assert director.post(page_of("rename_player", player), {"name": ""}).status_code == 422
    assert director.post(page_of("rename_player", player), {"name": "ŞULE"}).status_code == 302


def test_director_shows_a_player_by_initials_and_back(director, club):
    player = make.PlayerFactory(club=club, name="Şule Ak")
    for wish, shown in (("yes", "Ş. A."), ("no", "Şule Ak")):
        answer = director.post(page_of("player_initials", player), {"initials": wish}, follow=True)
        assert f"Others now see {shown}." in answer.text
    player.refresh_from_db()
    assert player.initials is False


def test_card_shows_link_qr_code_and_code(director, club):
    player = make.PlayerFactory(club=club)

    page = director.get(page_of("player_card", player))

    link = reverse("claim", args=[player.public_id, player.claim_secret])
    assert page.context["link"]["address"] == f"http://testserver{link}"
    assert player.claim_code in page.text
    assert "<svg" in page.text
    assert "no-store" in page["Cache-Control"]


def test_new_code_makes_the_card_before_worthless(director, club):
    player = make.PlayerFactory(club=club, wrong_claims=MOST_WRONG_CLAIMS)
    assert "no longer works" in director.get(page_of("player_card", player)).text

    answer = director.post(page_of("player_new_code", player), follow=True)

    assert player.claim_code not in answer.text
    player.refresh_from_db()
    assert player.claim_code in answer.text
    assert player.wrong_claims == 0


def test_player_with_an_account_has_no_card_and_can_be_untied(visitor, club):
    player = make.PlayerFactory(club=club, account=make.AccountFactory(email="sule@example.org"))
    member = visitor.become("member", club)
    assert "sule@example.org" not in member.get(page_of("player", player)).text
    director = visitor.become("director", club)
    assert "sule@example.org" in director.get(page_of("player", player)).text
    assert director.get(page_of("player_card", player)).url == page_of("player", player)

    director.post(page_of("unlink_player", player))

    player.refresh_from_db()
    assert player.account is None


def test_removal_asks_and_then_takes_the_name(director, club):
    player = make.PlayerFactory(club=club, name="Şule")
    gone = make.PlayerFactory(club=club, name="Suley")
    merge_players(player.pk, gone.pk, NOBODY, at=EVENING)
    games_of(club, player, 1)
    path = page_of("remove_player", player)

    asked = director.get(path)
    assert "Suley" in asked.text
    assert Player.objects.present().filter(pk=player.pk).exists()
    answer = director.post(path, follow=True)

    assert "The name is removed. The results stay." in answer.text
    assert Game.objects.get().players[0] == "№ 1"
    # Tapped twice.
    assert director.post(path).url == reverse("players", args=["moda"])


# merging


def test_director_looks_for_the_other_is_asked_and_merges(director, club):
    kept = make.PlayerFactory(club=club, name="Şule Ak")
    gone = make.PlayerFactory(club=club, name="Sule")
    games_of(club, gone, 2)
    path = page_of("merge_player", kept)

    assert f"?other={gone.public_id}" in director.get(path).text
    asked = director.get(path, {"other": gone.public_id})
    answer = director.post(path, {"other": gone.public_id}, follow=True)

    assert "2 games of Sule go to Şule Ak." in asked.text
    assert "Sule is now Şule Ak." in answer.text
    assert Merge.objects.get().kept == kept
    assert AuditEntry.objects.get(action="merge").user == director.user
    assert len(answer.context["games"]) == 2


def test_merge_is_undone_on_the_page_of_the_player(director, club):
    kept, gone = make.PlayerFactory(club=club), make.PlayerFactory(club=club, name="Sule")
    merge = merge_players(kept.pk, gone.pk, NOBODY, at=EVENING)
    path = page_of("part_player", kept, merge.pk)
    assert path in director.get(page_of("player", kept)).text

    answer = director.post(path, follow=True)

    assert "Sule is a player of their own again." in answer.text
    assert path not in answer.text
    assert Player.objects.present().filter(pk=gone.pk).exists()


# export


def exported(answer):
    return json.loads(b"".join(answer.streaming_content))


def test_export_has_all_that_is_kept(director, club, django_assert_num_queries):
    account = make.AccountFactory(first_name="Şule", email="sule@example.org")
    player = make.PlayerFactory(club=club, name="Şule", account=account)
    gone = make.PlayerFactory(club=club, name="Sule")
    games_of(club, gone, 1, WHOLE_GAME)
    merge_players(player.pk, gone.pk, NOBODY, at=EVENING)

    answer = director.post(page_of("player_data", player))
    document = exported(answer)

    assert answer["Content-Disposition"] == f'attachment; filename="player-{player.public_id}.json"'
    assert document["format"] == "kingscore-player/1"
    assert document["player"]["name"] == "Şule"
    assert [merged["name"] for merged in document["player"]["merged"]] == ["Sule"]
    assert document["club"] == {"name": "Moda King", "slug": "moda"}
    assert document["account"] == {"name": "Şule", "email": "sule@example.org"}
    [game] = document["games"]
    assert (game["seat"], game["event"]["name"]) == (0, "Cuma")
    assert list(read_game(game["record"]).game.totals) == [540, -110, -330, -100]
    assert [change["action"] for change in document["changes"]] == ["merge", "export"]
    assert "user" not in str(document["changes"])
    assert AuditEntry.objects.first().user == director.user


def test_export_that_fails_half_way_is_none(director, club):
    player = make.PlayerFactory(club=club, name="Şule")
    games_of(club, player, 1, WHOLE_GAME)
    Revision.objects.filter(position=3).update(body={"type": "broken"})

    with pytest.raises(LaterEntryInvalid):
        exported(director.post(page_of("player_data", player)))
    assert not AuditEntry.objects.filter(action="export").exists()


def test_search_that_finds_very_many_says_so(member, club, monkeypatch):
    monkeypatch.setattr("tournaments.web.people.views.MOST_FOUND", 2)
    for name in ("Ali A", "Ali B", "Ali C"):
        make.PlayerFactory(club=club, name=name)

    many, all_of_them = member.get(LIST, {"q": "ali"}), member.get(LIST)

    assert listed(many) == ["Ali A", "Ali B"]
    assert "More than 2: write more of the name." in many.text
    assert listed(all_of_them) == ["Ali A", "Ali B", "Ali C"]


def test_player_of_another_club_is_neither_found_nor_merged_nor_parted(director, club):
    own, stranger = make.PlayerFactory(club=club), make.PlayerFactory()
    assert director.get(f"{LIST}{stranger.public_id}/").status_code == 404
    for send in (director.get, director.post):
        answer = send(page_of("merge_player", own), {"other": stranger.public_id})
        assert answer.status_code == 404
    kept, gone = (make.PlayerFactory(club=club) for _ in range(2))
    merge = merge_players(kept.pk, gone.pk, NOBODY, at=EVENING)
    assert director.post(page_of("part_player", own, merge.pk)).status_code == 404


def test_games_of_a_player_are_paged(member, club):
    player = make.PlayerFactory(club=club, name="Şule")
    games_of(club, player, 27, [])

    assert len(member.get(page_of("player", player)).context["games"]) == 25
    assert len(member.get(page_of("player", player), {"page": 2}).context["games"]) == 2


CODE = "/claim/"


@pytest.fixture
def player(club):
    return make.PlayerFactory(name="Şule Ak", club=club)


@pytest.fixture
def claimer(visitor):
    visitor.user = make.AccountFactory()
    visitor.force_login(visitor.user)
    return visitor


def link(player):
    return reverse("claim", args=[player.public_id, player.claim_secret])


def home_of(player):
    return reverse("player", args=[player.club.slug, player.public_id])


def test_link_says_who_it_is_in_which_club_and_claims_after_a_tap(claimer, player):
    asked = claimer.get(link(player))
    assert "Are you Şule Ak?" in asked.text
    assert "Moda King" in asked.text
    assert Player.objects.get().account is None

    answer = claimer.post(link(player), follow=True)

    assert answer.redirect_chain == [(home_of(player), 302)]
    assert "Welcome to Moda King." in answer.text
    assert Player.objects.get().account == claimer.user
    assert Member.objects.get(user=claimer.user).role == "member"


def test_stranger_is_sent_to_sign_in_and_comes_back(client, player):
    page = client.get(link(player))
    assert f"/accounts/login/?next={link(player)}" in page.text
    assert client.post(link(player)).url == f"/accounts/login/?next={link(player)}"
    assert Player.objects.get().account is None


def test_code_leads_to_where_the_link_does(claimer, player):
    answer = claimer.post(CODE, {"code": player.claim_code.upper().replace("-", " ")})
    assert answer.url == link(player)


def test_wrong_code_is_refused_beside_what_was_typed(claimer, player):
    answer = claimer.post(CODE, {"code": f"{player.pk}-2222-2222"})

    assert answer.status_code == 422
    assert "This code opens nothing." in answer.text
    assert f'value="{player.pk}-2222-2222"' in answer.text
    assert Player.objects.get().wrong_claims == 1


@pytest.fixture
def mine(claimer, player):
    Table(round__event__club=player.club, players=[player.name, "B", "C", "D"], entries=WHOLE_GAME)
    claimer.post(link(player))
    player.refresh_from_db()
    return player


def own(name, player):
    return reverse(name, args=[player.public_id])


def test_player_asks_for_initials_takes_the_data_along_and_lets_go(claimer, mine):
    for wish, shown in (("yes", "Ş. A."), ("no", "Şule Ak")):
        assert claimer.post(own("my_initials", mine), {"initials": wish}).url == "/me/"
        assert Game.objects.get().players[0] == shown
    asked = AuditEntry.objects.filter(action="initials").values_list("user", flat=True)
    assert set(asked) == {claimer.user.pk}

    document = json.loads(b"".join(claimer.post(own("my_data", mine)).streaming_content))
    assert (document["player"]["name"], len(document["games"])) == ("Şule Ak", 1)

    assert claimer.post(own("my_release", mine)).url == "/me/"
    assert Player.objects.get(pk=mine.pk).account is None


def test_player_asks_to_be_removed(claimer, mine):
    assert "Remove yourself from Moda King?" in claimer.get(own("my_removal", mine)).text
    assert Player.objects.get(pk=mine.pk).name == "Şule Ak"

    assert claimer.post(own("my_removal", mine)).url == "/me/"

    assert Game.objects.get().players[0] == "№ 1"
    assert Member.objects.filter(user=claimer.user).exists()
