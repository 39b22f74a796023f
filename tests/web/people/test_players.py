"""The players of a club: the list, one of them, and what a director does with them."""

import json
import re

import pytest
from django.urls import reverse

from tests.club_factories import (
    AccountFactory,
    ClubFactory,
    EntrantFactory,
    EventFactory,
    PlayerFactory,
    RoundFactory,
    SittingFactory,
    TableFactory,
)
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.engine.records import read_game
from tournaments.models import AuditLine, Game, Merge, Player, Write
from tournaments.models.people import MOST_WRONG_CLAIMS
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.services.auditing import NOBODY
from tournaments.services.people.changes import set_initials
from tournaments.services.people.merging import merge_players
from tournaments.services.people.players import MOST_ADDED

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(visitor, club):
    return visitor.become("member", club)


@pytest.fixture
def director(visitor, club):
    return visitor.become("director", club)


def page_of(name, player, *args):
    return reverse(name, args=[player.club.slug, player.public_id, *args])


def listed(answer):
    return re.findall(r'/players/\w{10}/">([^<]+)</a>', answer.text)


LIST, NEW = "/clubs/moda/players/", "/clubs/moda/players/new/"


# --- the list


def test_members_see_the_players_of_their_club_as_those_wish(member, club):
    for name, initials in (("Şule Ak", False), ("Burak Tan", True)):
        PlayerFactory(club=club, name=name, initials=initials)
    PlayerFactory(name="Of another club")
    PlayerFactory(club=club, name="", removed_at=EVENING)
    PlayerFactory(club=club, name="Gone", merged_into=PlayerFactory(club=club, name="Kept"))

    assert listed(member.get(LIST)) == ["B. T.", "Kept", "Şule Ak"]


def test_directors_see_whole_names(director, club):
    PlayerFactory(club=club, name="Burak Tan", initials=True)

    page = director.get(LIST)

    assert listed(page) == ["Burak Tan"]
    assert "B. T." in page.text


@pytest.mark.parametrize("role", [None, "member"])
def test_list_is_for_the_club_only_even_where_it_is_published(visitor, club, role):
    club.published = True
    club.save()
    if role:
        visitor.become(role, ClubFactory())

    player = PlayerFactory(club=club)

    assert visitor.get(LIST).status_code == 404
    assert visitor.get(page_of("player", player)).status_code == 404


@pytest.mark.parametrize("asked", ["sule", "ŞULE", "ak şu", "SULE AK"])
def test_players_are_found_without_marks(member, club, asked):
    PlayerFactory(club=club, name="Şule Ak")
    PlayerFactory(club=club, name="Selin")

    assert listed(member.get(LIST, {"q": asked})) == ["Şule Ak"]


def test_whoever_is_shown_by_initials_is_not_found_by_the_name(visitor, club):
    PlayerFactory(club=club, name="Şule Ak", initials=True)

    assert listed(visitor.become("member", club).get(LIST, {"q": "sule"})) == []
    assert listed(visitor.become("director", club).get(LIST, {"q": "sule"})) == ["Şule Ak"]


@pytest.mark.parametrize("asked", ["\0", "%", "x" * 500, "' OR 1"])
def test_anything_can_be_searched_for(member, club, asked):
    answer = member.get(LIST, {"q": asked})
    assert answer.status_code == 200


def test_list_is_paged_and_keeps_what_was_asked(member, club):
    Player.objects.bulk_create(
        Player(club=club, name=f"Ali {n:03}", name_key=f"ali {n:03}", search_key=f"ali {n:03}",
               created_at=EVENING)
        for n in range(120)
    )  # fmt: skip

    first = member.get(LIST, {"q": "ali"})
    last = member.get(LIST, {"q": "ali", "page": "3"})

    assert listed(first)[::49] == ["Ali 000", "Ali 049"]
    assert listed(last) == [f"Ali {n:03}" for n in range(100, 120)]
    assert "120 players" in first.text
    assert "q=ali&amp;page=2" in first.text


@pytest.mark.parametrize("number", [99, 100, 101, 149, 151])
def test_every_player_stands_on_one_page(member, club, number):
    names = [f"ali {n:03}" for n in range(number)]
    Player.objects.bulk_create(
        Player(club=club, name=name, name_key=name, search_key=name, created_at=EVENING)
        for name in names
    )

    pages = [listed(member.get(LIST, {"page": page})) for page in range(1, -(-number // 50) + 1)]

    assert [name for page in pages for name in page] == names
    assert listed(member.get(LIST, {"page": "999"})) == pages[-1]


def test_live_search_is_answered_with_the_list_only(member, club):
    PlayerFactory(club=club, name="Şule")

    answer = member.get(LIST, {"q": "su"}, headers={"HX-Request": "true"})

    assert listed(answer) == ["Şule"]
    assert answer.text.lstrip().startswith('<div id="found"')


def test_empty_list_says_what_to_do(director):
    assert "Add those who play" in director.get(LIST).text


@pytest.mark.parametrize("number", [1, 3])
def test_list_takes_the_same_queries_however_many_players(
    member, club, number, django_assert_num_queries
):
    for _ in range(number):
        PlayerFactory(club=club)

    with django_assert_num_queries(7):
        member.get(LIST)


# --- adding


def test_director_adds_one_player_and_sees_them(director, club):
    answer = director.post(NEW, {"names": " Şule  Ak "}, follow=True)

    player = Player.objects.get()
    assert answer.redirect_chain == [(page_of("player", player), 302)]
    assert "Şule Ak" in answer.text
    assert AuditLine.objects.get().user == director.user


def test_director_adds_a_pasted_list(director, club):
    answer = director.post(NEW, {"names": "Şule\r\n\r\nBurak\n Cem "}, follow=True)

    assert listed(answer) == ["Burak", "Cem", "Şule"]
    assert "3 players are added." in answer.text


def test_list_with_a_fault_adds_nobody_and_says_what_is_wrong_with_each_line(director, club):
    PlayerFactory(club=club, name="Işıl")

    answer = director.post(NEW, {"names": "Şule\nISIL\nIŞIL\n?\nsule\nşule"})

    assert answer.status_code == 422
    errors = answer.context["form"].errors["names"]
    assert errors == [
        "IŞIL: There is already a player called Işıl.",
        "?: A name has letters, and 80 of them at most.",
        "şule: It is the same name as on an earlier line.",
    ]
    assert "Şule\nISIL" in answer.text
    assert Player.objects.count() == 1


@pytest.mark.parametrize("names", ["", "\n", "x\n" * (MOST_ADDED + 1), "x" * 20_000, "a\0b"])
def test_what_is_no_list_of_names_is_refused(director, names):
    assert director.post(NEW, {"names": names}).status_code == 422
    assert not Player.objects.exists()


@pytest.mark.parametrize("name", ["new_players", "player", "player_card", "merge_player"])
def test_pages_of_directors_are_not_there_for_members(member, club, name):
    player = PlayerFactory(club=club)
    path = NEW if name == "new_players" else page_of(name, player)
    assert member.get(path).status_code == (200 if name == "player" else 404)
    if name != "player":
        assert path not in member.get(page_of("player", player)).text + member.get(LIST).text


# --- one player


def games_of(club, player, number, entries=WHOLE_GAME[:2]):
    place = RoundFactory(event=EventFactory(club=club, name="Cuma"))
    for _ in range(number):
        TableFactory(round=place, players=[player.name, "B", "C", "D"], entries=entries)


def test_player_has_games_with_place_and_points(member, club):
    player = PlayerFactory(club=club, name="Şule")
    games_of(club, player, 1, WHOLE_GAME)
    games_of(club, player, 1, WHOLE_GAME[:3])

    page = member.get(page_of("player", player))

    played = page.context["games"]
    assert [(one.finished, one.points) for one in played] == [(False, -220), (True, 540)]
    assert played[1].place == 1
    assert "place 1" in page.text
    assert page.text.count("B · C · D") == 2


def test_games_of_a_player_are_paged(member, club):
    player = PlayerFactory(club=club, name="Şule")
    games_of(club, player, 27, [])

    assert len(member.get(page_of("player", player)).context["games"]) == 25
    assert len(member.get(page_of("player", player), {"page": 2}).context["games"]) == 2


@pytest.mark.parametrize("number", [1, 3])
def test_player_takes_the_same_queries_however_many_games(
    director, club, number, django_assert_num_queries
):
    player = PlayerFactory(club=club, name="Şule", account=director.user)
    games_of(club, player, number)
    for _ in range(number):
        merge_players(player.pk, PlayerFactory(club=club).pk, NOBODY, at=EVENING)

    with django_assert_num_queries(13):
        director.get(page_of("player", player))


def test_member_does_not_see_the_name_behind_initials(member, club):
    player = PlayerFactory(club=club, name="Şule Ak")
    games_of(club, player, 1)
    set_initials(player.pk, True, NOBODY, at=EVENING)

    text = member.get(page_of("player", player)).text

    assert "Ş. A." in text
    assert "Şule" not in text


def test_merged_and_removed_players_have_no_page(director, club):
    kept = PlayerFactory(club=club)
    gone = PlayerFactory(club=club, merged_into=kept)
    removed = PlayerFactory(club=club, name="", removed_at=EVENING)
    for player in (gone, removed):
        assert director.get(page_of("player", player)).status_code == 404


def test_player_of_one_club_is_not_found_in_another(director, club):
    player = PlayerFactory()
    assert director.get(f"{LIST}{player.public_id}/").status_code == 404


# --- what a director does


def test_director_renames_a_player(director, club):
    player = PlayerFactory(club=club, name="Şule")
    games_of(club, player, 1)

    answer = director.post(page_of("rename_player", player), {"name": "Şule Ak"})

    assert answer.url == page_of("player", player)
    assert Game.objects.get().players[0] == "Şule Ak"
    assert AuditLine.objects.get(action="rename").user == director.user


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("IŞIL", "There is already a player called Işıl. Are they one person? Then merge the two."),
        ("", "What is the player called?"),
        ("?", "A name has letters, and 80 of them at most."),
    ],
)
def test_name_that_cannot_be_is_refused_beside_the_field(director, club, name, why):
    PlayerFactory(club=club, name="Işıl")
    player = PlayerFactory(club=club, name="Şule")

    answer = director.post(page_of("rename_player", player), {"name": name})

    assert answer.status_code == 422
    assert answer.context["form"].errors["name"] == [why]
    assert f'value="{name}"' in answer.text or not name


def test_director_shows_a_player_by_initials_and_back(director, club):
    player = PlayerFactory(club=club, name="Şule Ak")
    for wish, shown in (("yes", "Ş. A."), ("no", "Şule Ak")):
        answer = director.post(page_of("player_initials", player), {"initials": wish}, follow=True)
        assert f"Others now see {shown}." in answer.text
    player.refresh_from_db()
    assert player.initials is False


def test_card_shows_link_qr_code_and_code(director, club):
    player = PlayerFactory(club=club)

    page = director.get(page_of("player_card", player))

    link = reverse("claim", args=[player.public_id, player.claim_secret])
    assert page.context["door"]["address"] == f"http://testserver{link}"
    assert player.claim_code in page.text
    assert "<svg" in page.text
    assert "no-store" in page["Cache-Control"]


def test_new_code_makes_the_card_before_worthless(director, club):
    player = PlayerFactory(club=club, wrong_claims=MOST_WRONG_CLAIMS)
    assert "worthless" in director.get(page_of("player_card", player)).text

    answer = director.post(page_of("player_new_code", player), follow=True)

    assert player.claim_code not in answer.text
    player.refresh_from_db()
    assert player.claim_code in answer.text
    assert player.wrong_claims == 0


def test_player_with_an_account_has_no_card_and_can_be_untied(director, club):
    player = PlayerFactory(club=club, account=AccountFactory(email="sule@example.org"))
    assert "sule@example.org" in director.get(page_of("player", player)).text
    assert director.get(page_of("player_card", player)).url == page_of("player", player)

    director.post(page_of("unlink_player", player))

    player.refresh_from_db()
    assert player.account is None


def test_member_does_not_see_whose_account_it_is(member, club):
    player = PlayerFactory(club=club, account=AccountFactory(email="sule@example.org"))
    assert "sule@example.org" not in member.get(page_of("player", player)).text


def test_removal_asks_and_then_takes_the_name(director, club):
    player = PlayerFactory(club=club, name="Şule")
    gone = PlayerFactory(club=club, name="Suley")
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


# --- merging


def test_director_looks_for_the_other_is_asked_and_merges(director, club):
    kept = PlayerFactory(club=club, name="Şule Ak")
    gone = PlayerFactory(club=club, name="Sule")
    games_of(club, gone, 2)
    path = page_of("merge_player", kept)

    assert f"?other={gone.public_id}" in director.get(path).text
    asked = director.get(path, {"other": gone.public_id})
    answer = director.post(path, {"other": gone.public_id}, follow=True)

    assert "2 games of Sule go to Şule Ak." in asked.text
    assert "Sule is now Şule Ak." in answer.text
    assert Merge.objects.get().kept == kept
    assert AuditLine.objects.get(action="merge").user == director.user
    assert len(answer.context["games"]) == 2


def test_merge_is_undone_on_the_page_of_the_player(director, club):
    kept, gone = PlayerFactory(club=club), PlayerFactory(club=club, name="Sule")
    merge = merge_players(kept.pk, gone.pk, NOBODY, at=EVENING)
    path = page_of("part_player", kept, merge.pk)
    assert path in director.get(page_of("player", kept)).text

    answer = director.post(path, follow=True)

    assert "Sule is a player of their own again." in answer.text
    assert path not in answer.text
    assert Player.objects.present().filter(pk=gone.pk).exists()


def test_merge_is_not_undone_while_the_entrant_plays(director, club):
    entrant = EntrantFactory(tournament__event__club=club)
    kept = PlayerFactory(club=club)
    merge = merge_players(kept.pk, entrant.player.pk, NOBODY, at=EVENING)
    table = TableFactory(round__event=entrant.tournament.event)
    table.games.get().seats.filter(number=0).update(player=kept)
    SittingFactory(round=table.round, table=table, side=0, entrant=entrant)

    answer = director.post(page_of("part_player", kept, merge.pk), follow=True)

    sentence = "plays in a round that is not closed: undo the merge after it."
    assert sentence in answer.text
    assert Merge.objects.get().undone_at is None


def test_who_cannot_be_one_is_not_merged(director, club):
    table = TableFactory(round__event__club=club, players=["Şule", "Sule", "C", "D"])
    one, other = (seat.player for seat in table.games.get().seats.all()[:2])
    path = page_of("merge_player", one)

    asked = director.get(path, {"other": other.public_id})
    answer = director.post(path, {"other": other.public_id})

    assert (asked.status_code, answer.status_code) == (200, 422)
    for page in (asked, answer):
        assert "They have sat at one table: they are two people." in page.text


@pytest.mark.parametrize("method", ["get", "post"])
def test_player_of_another_club_is_not_there_to_be_merged(director, club, method):
    path = page_of("merge_player", PlayerFactory(club=club))
    other = PlayerFactory()
    assert getattr(director, method)(path, {"other": other.public_id}).status_code == 404


def test_merge_of_another_player_is_not_undone_here(director, club):
    kept, gone, other = (PlayerFactory(club=club) for _ in range(3))
    merge = merge_players(kept.pk, gone.pk, NOBODY, at=EVENING)
    assert director.post(page_of("part_player", other, merge.pk)).status_code == 404


@pytest.mark.parametrize("number", [1, 3])
def test_search_of_the_other_takes_the_same_queries(
    director, club, number, django_assert_num_queries
):
    kept = PlayerFactory(club=club, name="Şule")
    for n in range(number):
        PlayerFactory(club=club, name=f"Sule {n}")
    with django_assert_num_queries(5):
        director.get(page_of("merge_player", kept))


@pytest.mark.parametrize(
    "name",
    ["rename_player", "player_initials", "player_new_code", "unlink_player", "remove_player"],
)
@pytest.mark.parametrize("role", [None, "member"])
def test_what_directors_do_nobody_else_does(visitor, club, role, name):
    player = PlayerFactory(club=club, name="Şule", account=AccountFactory())
    if role:
        visitor.become(role, club)

    answer = visitor.post(page_of(name, player), {"name": "Another", "initials": "yes"})

    assert answer.status_code == 404
    assert not AuditLine.objects.exists()


# --- export


def exported(answer):
    return json.loads(b"".join(answer.streaming_content))


def test_export_has_all_that_is_kept(director, club, django_assert_num_queries):
    account = AccountFactory(first_name="Şule", email="sule@example.org")
    player = PlayerFactory(club=club, name="Şule", account=account)
    gone = PlayerFactory(club=club, name="Sule")
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
    assert AuditLine.objects.first().user == director.user


@pytest.mark.parametrize("number", [1, 3])
def test_export_takes_the_same_queries_however_many_games(
    director, club, number, django_assert_num_queries
):
    player = PlayerFactory(club=club, name="Şule")
    games_of(club, player, number)
    with django_assert_num_queries(18):
        document = exported(director.post(page_of("player_data", player)))
    assert len(document["games"]) == number


def test_export_is_asked_for_with_a_button_only(director, club):
    player = PlayerFactory(club=club, name="Şule")

    for ask in (director.get, director.head):
        assert ask(page_of("player_data", player)).status_code == 405
    assert not AuditLine.objects.filter(action="export").exists()


def test_export_that_fails_half_way_is_none(director, club):
    player = PlayerFactory(club=club, name="Şule")
    games_of(club, player, 1, WHOLE_GAME)
    Write.objects.filter(position=3).update(body={"type": "broken"})

    with pytest.raises(LaterEntryInvalid):
        exported(director.post(page_of("player_data", player)))
    assert not AuditLine.objects.filter(action="export").exists()


def test_export_is_for_directors(member, club):
    assert member.post(page_of("player_data", PlayerFactory(club=club))).status_code == 404


def test_removal_says_that_names_of_evenings_stay(director, club):
    player = PlayerFactory(club=club, name="Şule")

    page = director.get(page_of("remove_player", player))

    assert "names of evenings, seasons and teams are not searched" in page.text


def test_search_that_finds_very_many_says_so(member, club, monkeypatch):
    monkeypatch.setattr("tournaments.web.people.pages.MOST_FOUND", 2)
    for name in ("Ali A", "Ali B", "Ali C"):
        PlayerFactory(club=club, name=name)

    many, all_of_them = member.get(LIST, {"q": "ali"}), member.get(LIST)

    assert listed(many) == ["Ali A", "Ali B"]
    assert "More than 2: write more of the name." in many.text
    assert listed(all_of_them) == ["Ali A", "Ali B", "Ali C"]
