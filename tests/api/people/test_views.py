import pytest

from tests import club_factories as make
from tests.api.conftest import faults, names, refused
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.models import AuditEntry, Club, Player
from tournaments.queries.players import games_of
from tournaments.services.ratings.computing import rate_club_again, sweep_ratings

pytestmark = pytest.mark.django_db


PLAYERS = "clubs/moda/players/"


def of(player):
    return f"{PLAYERS}{player.public_id}/"


def test_players_are_listed_by_name_and_found_as_one_may_know_them(program, director, club):
    for name in ("Çetin", "Cem", "Işık"):
        make.PlayerFactory(club=club, name=name)
    make.PlayerFactory(club=club, name="Dilek Gizli", initials=True)
    make.PlayerFactory(name="Elsewhere")
    member = program.role("member", club)

    assert names(director.get(PLAYERS)) == ["Cem", "Çetin", "Dilek Gizli", "Işık"]
    assert names(member.get(PLAYERS)) == ["Cem", "Çetin", "D. G.", "Işık"]
    assert names(director.get(f"{PLAYERS}?q=gizli")) == ["Dilek Gizli"]
    assert names(member.get(f"{PLAYERS}?q=gizli")) == []
    assert names(member.get(f"{PLAYERS}?initials=true")) == ["D. G."]
    assert names(member.get(f"{PLAYERS}?ordering=-name"))[0] == "Işık"


def test_everybody_reads_who_played_in_a_published_club_and_nobody_else(program, club):
    draft = make.EventFactory(club=club)
    for name, event in (("Ayşe", make.EventFactory(club=club, published=True)), ("Burak", draft)):
        table = make.TableFactory(round__event=event, players=[name, "B", "C", "D"])
        assert table.games.get().seats.count() == 4
    event = make.EventFactory(club=club, published=True)
    entrant = make.EntrantFactory(
        tournament=make.TournamentFactory(event=event, state="registration"),
        player__name="Zeynep Gizli",
    )
    entrant.player.initials = True
    entrant.player.save()
    make.PlayerFactory(club=club, name="Never Played")
    assert program.get(PLAYERS).status_code == 404

    Club.objects.update(published=True)
    assert names(program.get(PLAYERS)) == ["Ayşe", "B", "C", "D", "Z. G."]


def test_cursors_lead_through_all_pages_and_tell_no_hidden_name(program, director, club):
    for name in ("Ali", "Dilek Gizli", "Zeki"):
        make.PlayerFactory(club=club, name=name, initials=name.startswith("Dilek"))
    member = program.role("member", club)
    path, seen = f"{PLAYERS}?page_size=1", []
    while path:
        page = member.get(path).json()
        seen += [player["name"] for player in page["results"]]
        path = (page["next"] or "").removeprefix("http://testserver")
        assert "dilek" not in path
        assert "ZGlsZW" not in path
    assert seen == ["Ali", "D. G.", "Zeki"]


def test_players_are_added_all_or_none(director, club):
    taken = make.PlayerFactory(club=club, name="Ayşe")
    denied = director.post(PLAYERS, {"names": ["Burak", "ayşe", "!", "BURAK", ""]})
    assert faults(denied) == [
        ("name-taken", "names.1"),
        ("no-name", "names.2"),
        ("name-twice", "names.3"),
        ("no-name", "names.4"),
    ]
    assert denied.json()["problems"][0]["params"] == {"player": taken.public_id}
    assert Player.objects.count() == 1

    added = director.post(PLAYERS, {"names": [" Burak ", "Cem"]})
    assert added.status_code == 201
    assert [player["name"] for player in added.json()["results"]] == ["Burak", "Cem"]


def test_player_is_renamed_and_shown_by_initials(director, club):
    row = make.PlayerFactory(club=club, name="Ayse Yilmaz")
    make.PlayerFactory(club=club, name="Cem")
    changed = director.patch(of(row), {"name": "Ayşe Yılmaz", "initials": True}).json()
    assert (changed["name"], changed["shown_name"]) == ("Ayşe Yılmaz", "A. Y.")
    assert refused(director.patch(of(row), {"name": "cem"})) == (409, "name-taken")
    assert faults(director.patch(of(row), {"name": "..."})) == [("no-name", "name")]


def test_player_is_untied_from_the_account_and_given_a_card(director, club):
    row = make.PlayerFactory(club=club, account=make.AccountFactory(first_name="Ayşe"))
    assert director.get(of(row)).json()["account"] == "Ayşe"
    assert refused(director.get(f"{of(row)}card/")) == (409, "has-account")
    assert director.post(f"{of(row)}unlink/").json()["account"] is None
    row.refresh_from_db()
    card = director.get(f"{of(row)}card/").json()
    assert card["link"].endswith(f"/claim/{row.public_id}/{card['secret']}/")
    assert (card["code"], card["spoiled"]) == (row.claim_code, False)
    assert director.post(f"{of(row)}card/new/").json()["secret"] != card["secret"]


def test_two_players_are_merged_and_parted_again(director, club):
    kept, gone = (
        make.PlayerFactory(club=club, name="Ayşe"),
        make.PlayerFactory(club=club, name="Ayse Y."),
    )
    asked = director.get(f"{of(kept)}merge/?other={gone.public_id}").json()
    assert (asked["gone_name"], asked["games"], asked["why_not"]) == ("Ayse Y.", 0, None)
    (merge,) = director.post(f"{of(kept)}merge/", {"other": gone.public_id}).json()["merges"]
    assert merge["name"] == "Ayse Y."
    parted = director.post(f"{of(kept)}merges/{merge['id']}/undo/")
    assert parted.json()["merges"] == []


def test_player_is_exported_and_removed(director, club):
    row = make.PlayerFactory(club=club, name="Ayşe")
    data = director.post(f"{of(row)}data/").json()
    assert (data["format"], data["player"]["name"]) == ("kingscore-player/1", "Ayşe")
    assert director.delete(of(row)).status_code == 204
    assert Player.objects.get(pk=row.pk).name == ""


def test_members_read_names_and_directors_addresses(program, club):
    user = make.MemberFactory(club=club, user__email="gizli@example.org").user
    make.PlayerFactory(club=club, account=user, name="Ayşe Yılmaz", initials=True)
    director, member = program.role("director", club), program.role("member", club)

    shown = director.get("clubs/moda/members/?q=gizli").json()["results"]
    assert [(m["user"], m["name"], m["email"]) for m in shown] == [
        (user.pk, user.email, user.email)
    ]
    assert member.get("clubs/moda/members/?q=gizli").json()["results"] == []
    told = member.get(f"clubs/moda/members/{user.pk}/").json()
    assert (told["name"], told["email"], told["role"]) == ("A. Y.", None, "member")


def test_owner_gives_another_role_and_puts_out_with_a_reason(owner, club):
    path = f"clubs/moda/members/{make.MemberFactory(club=club).user.pk}/"
    assert owner.patch(path, {"role": "director"}).json()["role"] == "director"
    assert faults(owner.patch(path, {"role": "king"})) == [("invalid-choice", "role")]
    assert faults(owner.delete(f"{path}?reason={'x' * 201}")) == [("max-length", "reason")]
    assert owner.delete(f"{path}?reason=no+longer+here").status_code == 204
    assert AuditEntry.objects.get(action="remove").reason == "no longer here"


def test_invitation_is_made_read_followed_and_used_up(program, owner, club):
    made = owner.post("clubs/moda/invitations/", {"role": "director", "days": 2})
    told = made.json()
    assert (told["role"], told["most_uses"], told["uses"]) == ("director", 1, 0)
    assert told["link"].endswith(f"/join/{told['id']}/{told['secret']}/")
    assert owner.get(made["Location"]).json() == told

    join = f"join/{told['id']}/{told['secret']}/"
    assert program.get(join).json()["club"] == {"slug": "moda", "name": club.name}
    guest = program.as_(make.AccountFactory())
    assert guest.post(join).json()["role"] == "director"
    assert guest.get(join).json()["belongs"] is True
    late = program.as_(make.AccountFactory()).post(join)
    assert refused(late) == (410, "invitation-over")


NAMES = ("Şule", "Burak", "Cem", "Deniz")


def play(club, number=1, names=NAMES, **event):
    """Play so many finished games on an evening that is rated."""
    Club.objects.filter(pk=club.pk).update(rates_evenings=True)
    event = make.EventFactory(club=club, **event)
    for _ in range(number):
        round_ = make.RoundFactory(event=event)
        make.TableFactory(round=round_, players=names, entries=WHOLE_GAME)
        round_.closed_at = EVENING
        round_.save()
    rate_club_again(club.pk)
    sweep_ratings()


def of_name(name, then=""):
    return f"clubs/moda/players/{Player.objects.get(name=name).public_id}/{then}"


def test_numbers_are_those_of_the_finished_games(member, club):
    season = make.SeasonFactory(club=club)
    play(club, season=season)
    play(club)
    game = games_of(Player.objects.get(name="Şule"), None)[0]

    told = member.get(of_name("Şule", "numbers/")).json()
    limits = told["limited_to"]
    assert (limits["family"], limits["families"][0]["games"]) == ("turkish-king", 2)
    assert [(each["id"], each["games"]) for each in limits["seasons"]] == [(season.pk, 1)]
    assert (told["points"], told["rating"]["games"]) == (2 * game.points, 2)
    limited = member.get(of_name("Şule", f"numbers/?season={season.pk}")).json()
    assert (limited["limited_to"]["season"], limited["games"]) == (season.pk, 1)


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        *(("season=", "wrong-type"), ("season=1.5", "wrong-type"), ("season=-1", "min-value")),
        *(("season=99999", "unknown-season"), ("season={elsewhere}", "unknown-season")),
        *(("family=", "missing-field"), ("family=Turkish-King", "unknown-family")),
    ],
)
def test_limit_that_is_none_is_refused_and_answers_no_other_numbers(member, club, limit, code):
    play(club)
    query = "?" + limit.format(elsewhere=make.SeasonFactory().pk)
    beside = Player.objects.get(name="Deniz").public_id

    for path in (
        of_name("Şule", "numbers/"),
        of_name("Şule", "against/"),
        of_name("Şule", f"against/{beside}/"),
        "clubs/moda/records/",
    ):
        assert faults(member.get(path + query)) == [(code, limit.partition("=")[0])], path


def test_games_are_listed_with_what_they_came_to(member, club):
    play(club, 2)
    game, path = games_of(Player.objects.get(name="Cem"), None)[0], of_name("Cem", "games/")
    make.TableFactory(round=make.RoundFactory(event=make.EventFactory(club=club)), players=NAMES)

    shown = member.get(f"{path}?finished=true").json()["results"]
    expected = (2, game.place, game.points)
    assert [(g["seat"], g["rank"], g["points"]) for g in shown] == [expected] * 2
    assert all(g["rating"]["points"] for g in shown)
    assert shown[0]["at"]["event_name"] == "Cuma akşamı"
    (going,) = member.get(f"{path}?finished=false").json()["results"]
    assert (going["rank"], going["points"], going["rating"]) == (None, None, None)
    assert member.get(f"{path}?family=krapet").json()["results"] == []


def test_two_players_stand_beside_each_other(member, club):
    play(club, 2)
    burak = Player.objects.get(name="Burak")
    told = member.get(of_name("Şule", f"against/{burak.public_id}/")).json()
    games = {name: games_of(Player.objects.get(name=name), None)[0] for name in ("Şule", "Burak")}
    assert (told["name"], told["other_name"], told["meeting"]["games"]) == ("Şule", "Burak", 2)
    assert told["compared"]["points"] == 2 * games["Şule"].points
    assert told["compared"]["other_ranks"] == 2 * games["Burak"].place
    assert (told["chance"]["above"] > 50) == (games["Şule"].place < games["Burak"].place)
    own = Player.objects.get(name="Şule").public_id
    assert member.get(of_name("Şule", f"against/{own}/")).status_code == 404
