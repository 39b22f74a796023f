import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.club_factories import ClubFactory, MemberFactory, PlayerFactory
from tests.services.imports.record_files import OTHERS, record
from tournaments.models import AuditEntry, Event, Game, Player
from tournaments.web.imports import views

EXAMPLES = Path(__file__).parents[3] / "docs" / "import"
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
    """What a preview sends back: the records or the list, and what its menus say."""
    found = re.findall(r'<input type="hidden" name="(\S+?)" value="(.*?)">', page.content.decode())
    fields = {name: value for name, value in found if name in ("kept", "seen", "as_names")}
    if typed := page.context.get("typed"):
        fields["list"] = typed.text
        columns = enumerate(typed.columns)
        fields |= {f"column.{place}": field for place, (_heading, field) in columns}
    return fields


def go_on(client, page, name, **fields):
    return send(client, name, **{"what": "import", **hidden(page), **fields})


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
    # A new club goes on there.
    assert answer.url == reverse("club", args=["moda"])
    assert sorted(Player.objects.values_list("name", flat=True)) == ["Ayşe", "SULE AK", "Şule Ak"]
    assert "2 players are added." in text_of(director.get(answer.url))
    # Tapped twice.
    again = go_on(director, preview, "import_players")
    assert "All of it is there already." in text_of(director.get(again.url))
    assert Player.objects.count() == 3


def test_lines_of_players_with_faults_are_left_out_together_and_others_one_by_one(director, club):
    file = "Oyuncular\nAd;Telefon\nAyşe;1\n-;2\nBurak;3\nayşe;4\nToplam;4\n"
    faulty = send(director, "import_players", file)
    assert faulty.status_code == 422
    assert "There are 2 problems: 4 Name: A name has letters, and 80 of them at most. 6" in (
        text_of(faulty)
    )
    assert faulty.context["typed"].columns == [("Ad", "name"), ("Telefon", "")]
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
    assert preview.context["typed"].text == wrong


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
def test_form_without_a_list_or_with_what_is_not_ours_asks_for_one(director, club, page):
    ask = "Choose a file." if page == "import_records" else "Paste a list, or choose a file."
    assert ask in text_of(send(director, page))
    forged = send(director, page, list=" \n", kept="x", what="import", seen="x")
    assert forged.status_code == 422
    ask = "Choose the file once more" if page == "import_records" else ask
    assert ask in text_of(forged)


def test_what_was_kept_counts_only_for_its_club(director, club):
    preview = send(director, "import_records", json.dumps(record()), name="a.json")
    other = ClubFactory(slug="kadife")
    MemberFactory(club=other, user=director.user, role="owner")

    answer = director.post(
        reverse("import_records", args=["kadife"]), {**hidden(preview), "what": "import"}
    )

    assert (answer.status_code, Game.objects.exists()) == (422, False)


def test_more_records_than_come_back_in_a_form_are_refused(director, club, monkeypatch):
    monkeypatch.setattr(views, "LARGEST_KEPT", 100)

    answer = send(director, "import_records", json.dumps(record()), name="a.json")

    assert answer.status_code == 422
    assert "Divide it into several files." in text_of(answer)


def test_refused_list_is_still_in_its_field(director, club):
    answer = send(director, "import_players", list="Ad;Tel\n0532 111 22 33;x\n")

    assert "There are no names in this list." in text_of(answer)
    assert ">\nAd;Tel\n0532 111 22 33;x\n</textarea>" in answer.text


def test_menu_of_a_column_counts_only_after_it_was_seen(director, club):
    preview = send(director, "import_players", list="Ayşe Ak;Moda\nBurak Kaya;Moda\n")
    menus = {"column.0": "reversed", "column.1": ""}

    changed = go_on(director, preview, "import_players", **menus)

    assert (changed.status_code, Player.objects.count()) == (422, 0)
    assert "Something has changed since you looked." in text_of(changed)
    nothing = go_on(director, preview, "import_players", **{"column.0": "", "column.1": ""})
    assert "Say above its column what it is: Name" in text_of(nothing)
    assert (nothing.status_code, "column.1" in nothing.text) == (422, True)
    assert go_on(director, changed, "import_players").status_code == 302
    assert sorted(Player.objects.values_list("name", flat=True)) == ["Ak Ayşe", "Kaya Burak"]


def test_names_are_written_as_names_if_wished(director, club):
    preview = send(director, "import_players", "Şükrü Ağır\nAYŞE Yılmaz\nİpek Işık\n")
    assert "AYŞE Yılmaz → Ayşe Yılmaz" in text_of(preview)

    written = go_on(director, preview, "import_players", what="", as_names="1")
    typed = go_on(director, written, "import_players", what="", as_names="")

    assert [line["names"][0][0] for line in written.context["lines"]][1] == "Ayşe Yılmaz"
    assert [line["names"][0][0] for line in typed.context["lines"]][1] == "AYŞE Yılmaz"
    assert go_on(director, written, "import_players").status_code == 302
    assert Player.objects.filter(name="Ayşe Yılmaz").exists()


@pytest.mark.parametrize("page", ["import_players", "import_results"])
def test_damaged_letter_is_shown_at_its_line_and_written_anew(director, club, page):
    good = GAME if page == "import_results" else "Ad\nŞükrü Ağır\nAyşe\n"
    damaged = good.encode().replace("Ayşe".encode(), b"Ay\xe5e").replace(b"Deniz", "İpek".encode())

    preview = send(director, page, damaged)

    line = 2 if page == "import_results" else 3
    assert f"{line} " in text_of(preview)
    assert "“Ay\ufffde”: a letter is damaged. Write it anew below." in text_of(preview)
    assert not Player.objects.exists()
    mended = preview.context["typed"].text.replace("\ufffd", "ş")
    seen = go_on(director, preview, page, list=mended, what="look")
    assert go_on(director, seen, page).status_code == 302
    assert Player.objects.filter(name="Ayşe").exists()


def test_all_faults_of_all_lines_of_results_are_shown_at_once(director, club):
    rows = [
        "99.99.2025;Cuma;x;;Ayşe;ten",
        f";{'x' * 81};1;0;=A1;=1+1",
        "23.11.2999;Cuma;1;1;Cem;1",
    ]

    preview = send(director, "import_results", HEADINGS + "\n".join(rows))

    found = [(line, text.partition(":")[0]) for line, text in preview.context["faults"]]
    assert {*found} >= {
        *((2, "Date"), (2, "Round"), (2, "Points"), (4, "Date")),
        *((3, "Evening"), (3, "Table"), (3, "Player"), (3, "Points"), (3, "Date")),
    }


@pytest.mark.parametrize("name", ["players", "results", "records"])
def test_examples_have_no_faults(director, club, name):
    path = next(EXAMPLES.glob(f"{name.replace('records', 'game')}.*"))

    # 1.250 are more than a thousand.
    director.defaults["HTTP_ACCEPT_LANGUAGE"] = "tr"
    preview = send(director, f"import_{name}", path.read_bytes(), name=path.name)

    assert (preview.status_code, preview.context["number"]) == (
        200,
        {"players": 4, "results": 2, "records": 1}[name],
    )
