import io
import json
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.club_factories import ClubFactory, MemberFactory, PlayerFactory
from tests.services.imports.record_files import OTHERS, record
from tournaments.models import AuditEntry, Event, Game, Player
from tournaments.web.imports import views

HEADINGS = "Date;Evening;Round;Table;Player;Points\n"
GAME = HEADINGS + "".join(
    f"14.03.2025;Friday;1;1;{name};{points}\n"
    for name, points in zip(("Ayşe", "Burak", "Cem", "Deniz"), (540, -110, -330, -100), strict=True)
)


def send(client, page, content=None, *, name="file.csv", **fields):
    if content is not None:
        fields["file"] = SimpleUploadedFile(
            name, content if isinstance(content, bytes) else content.encode()
        )
    if page == "import_results":
        fields.setdefault("ruleset", "turkish-king")
    return client.post(reverse(page, args=["moda"]), {"what": "look", **fields})


def hidden(page):
    found = re.findall(r'<input type="hidden" name="(\S+?)" value="(.*?)">', page.content.decode())
    return {name: value for name, value in found if name in ("kept", "seen")}


def go_on(client, page, name, **fields):
    return send(client, name, **hidden(page), **{"what": "import", **fields})


def text_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())


def test_players_are_looked_at_and_then_imported(director, club):
    PlayerFactory(club=club, name="Şule Ak")

    preview = send(director, "import_players", "Name\nAyşe\nSULE AK\nşule ak\n")

    assert preview.status_code == 200
    assert "2 new players" in text_of(preview)
    assert "Is it somebody who is there? Şule Ak" in text_of(preview)
    assert Player.objects.count() == 1
    answer = go_on(director, preview, "import_players")
    assert answer.url == reverse("players", args=["moda"])
    assert sorted(Player.objects.values_list("name", flat=True)) == ["Ayşe", "SULE AK", "Şule Ak"]
    assert "2 players are added." in text_of(director.get(answer.url))
    # Tapped twice.
    again = go_on(director, preview, "import_players")
    assert "All of it is there already." in text_of(director.get(again.url))
    assert Player.objects.count() == 3


def test_lines_of_players_with_faults_are_left_out_together_and_others_one_by_one(director, club):
    file = "Oyuncular\nAd;Telefon\nAyşe;1\n-;2\nBurak;3\nayşe;4\nToplam;4\n"
    faulty = send(director, "import_players", file)
    assert (faulty.status_code, faulty.context["wrong"]) == (422, 2)
    assert "Ad → Name Telefon left out" in text_of(faulty)
    assert "left out: 1 Oyuncular 7 Toplam 4" in text_of(faulty)

    seen = go_on(director, faulty, "import_players", what="skip")
    assert (seen.status_code, re.findall(r'value="(\d)"\s+checked', seen.text)) == (200, ["4", "6"])
    done = go_on(director, seen, "import_players", skip=["4", "5", "6"])

    assert done.status_code == 302
    assert list(Player.objects.values_list("name", flat=True)) == ["Ayşe"]


def test_results_are_looked_at_and_then_imported(director, club):
    preview = send(director, "import_results", GAME)

    assert preview.status_code == 200
    assert "1 game · 4 new players" in text_of(preview)
    assert "They do not count for ratings" in text_of(preview)
    assert not Event.objects.exists()
    answer = go_on(director, preview, "import_results")
    assert answer.url == reverse("events", args=["moda"])
    assert "1 game is imported." in text_of(director.get(answer.url))
    event = Event.objects.get()
    page = text_of(director.get(reverse("event", args=["moda", event.public_id])))
    assert "Friday" in page
    assert "−330" in page
    sheet = director.get(reverse("club_game", args=["moda", Game.objects.get().public_id]))
    assert "Totals taken over" in text_of(sheet)
    player = Player.objects.get(name="Ayşe")
    assert "540" in text_of(director.get(reverse("player", args=["moda", player.public_id])))
    changes = text_of(director.get(reverse("club_changes", args=["moda"])))
    assert "Results imported" in changes
    assert "Games: 1" in changes
    assert send(director, "import_results", GAME).status_code == 200
    assert "All of it is there already." in text_of(send(director, "import_results", GAME))


def test_faults_of_results_are_shown_all_at_once_and_choices_stay(director, club):
    wrong = GAME.replace("540", "ten") + "x;Friday;1;2;Elif;1\n"

    preview = send(director, "import_results", wrong, evening="Salı", early="on", ruleset="rifki")

    assert preview.status_code == 422
    told = text_of(preview)
    assert "There are 2 problems" in told
    assert "2 Points: “ten” is no number of points." in told
    assert "6 Date: “x” is no date." in told
    form = preview.context["form"]
    assert (form["evening"].value(), form["early"].value(), form.rules.id) == (
        "Salı",
        True,
        "rifki",
    )
    assert "kept" in hidden(preview)


def test_what_has_changed_since_is_shown_again_before_it_counts(director, club):
    preview = send(director, "import_results", GAME)
    PlayerFactory(club=club, name="Burak")

    again = go_on(director, preview, "import_results")

    assert again.status_code == 422
    assert "Something has changed since you looked." in text_of(again)
    assert "3 new players" in text_of(again)
    assert not Event.objects.exists()
    assert go_on(director, again, "import_results").status_code == 302


def test_doubtful_names_are_asked_about_and_the_answer_counts(director, club):
    one, other = (PlayerFactory(club=club, name=f"Burak {name}") for name in ("Ak", "Demir"))

    preview = send(director, "import_results", GAME)

    assert preview.status_code == 422
    assert "Who is “Burak”: Burak Ak, Burak Demir? Choose one." in text_of(preview)
    chosen = {"name.0": "Burak", "as.0": other.public_id}
    answered = send(director, "import_results", **hidden(preview), **chosen)
    assert answered.status_code == 200
    assert f'<option value="{other.public_id}" selected>' in answered.content.decode()
    assert go_on(director, answered, "import_results", **chosen).status_code == 302
    assert other.seats.count() == 1
    assert one.seats.count() == 0


def test_records_are_looked_at_and_then_imported(director, club):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.json", json.dumps(record(title="Cuma")))
        archive.writestr("two.json", json.dumps(record(OTHERS, title="Cuma")))

    preview = send(director, "import_records", packed.getvalue(), name="all.zip")

    assert "2 games · 8 new players" in text_of(preview)
    assert "Round 1, table 2 two.json" in text_of(preview)
    answer = go_on(director, preview, "import_records")
    assert "2 games are imported." in text_of(director.get(answer.url))
    assert AuditEntry.objects.filter(action="import-records").count() == 1
    again = send(director, "import_records", packed.getvalue(), name="all.zip")
    assert text_of(again).count("there already") == 3


@pytest.mark.parametrize("page", ["import_players", "import_results", "import_records"])
def test_form_without_a_file_or_with_what_is_not_ours_asks_for_one(director, club, page):
    assert "Choose a file." in text_of(send(director, page))
    forged = send(director, page, kept="x", what="import", seen="x")
    assert forged.status_code == 422
    assert "Choose the file once more" in text_of(forged)


def test_what_was_kept_counts_only_for_its_club_and_page(director, club):
    preview = send(director, "import_players", "Ayşe\n")
    other = ClubFactory(slug="kadife")
    MemberFactory(club=other, user=director.user, role="owner")

    for page, slug in (("import_results", "moda"), ("import_players", "kadife")):
        answer = director.post(
            reverse(page, args=[slug]), {**hidden(preview), "what": "import", "ruleset": "king"}
        )
        assert answer.status_code == 422
    assert not Player.objects.exists()


def test_more_than_comes_back_in_a_form_is_refused(director, club, monkeypatch):
    monkeypatch.setattr(views, "LARGEST_KEPT", 100)

    answer = send(director, "import_results", GAME)

    assert answer.status_code == 422
    assert "Divide it into several files." in text_of(answer)
