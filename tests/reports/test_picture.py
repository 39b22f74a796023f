import io
import json

import pytest
from django.utils import translation
from PIL import Image

from tests.deals import WHOLE_GAME, deal
from tests.sample_games import load
from tournaments.reports.pictures import compose_picture
from tournaments.reports.typesetting import draw_json, printable

KING = (*WHOLE_GAME[:5], deal("trump", 0, 0, 13, 0, trump="hearts"))
STOPPED = (deal("trump", 3, 3, 4, 3, trump="spades"), {"type": "stopped", "reason": "agreement"})


def compose(record, language="tr", *, wide=False):
    with translation.override(language):
        return compose_picture(record, wide=wide)


def names_and_totals(data):
    return [
        (" + ".join(member["name"] for member in side["members"]), side["total"])
        for side in data["sides"]
    ]


@pytest.mark.parametrize(("wide", "size"), [(False, (1080, 1350)), (True, (1200, 630))])
@pytest.mark.parametrize(
    "name",
    ["turkish-king-whole", "partners-king", "krapet-points", "barbu-open", "euchre-sequence"],
)
def test_picture_of_every_family_has_its_size(name, wide, size):
    data = compose(load(name), wide=wide)
    with Image.open(io.BytesIO(draw_json("picture.typ", json.dumps(printable(data))))) as drawn:
        assert (drawn.format, drawn.size) == ("PNG", size)


def test_picture_says_who_won_by_how_much_and_what_was_earned(record):
    data = compose(record())
    assert (data["title"], data["remark"]) == (
        "Çıkan: Ayşe",
        "Telefon fişi: üç kişi batarken tek çıkan",
    )
    assert names_and_totals(data) == [
        ("Ayşe", "540"),
        ("Deniz", "−100"),
        ("Burak", "−110"),
        ("Cem", "−330"),
    ]
    assert [(badge["name"], badge["who"]) for badge in data["badges"]] == [
        ("Telefon fişi", "Ayşe"),
        ("DYS", "Burak, Cem"),
        ("Öküz gözü", "Ayşe"),
        ("Çiçek", "Burak, Deniz"),
    ]
    assert [line["totals"][-1] for line in data["course"]] == [540, -110, -330, -100]


@pytest.mark.parametrize(
    ("entries", "title", "remark", "best"),
    [
        (KING, "King! Yalnız Cem çıktı.", "King’de puana bakılmaz.", [True, False, False, False]),
        (
            STOPPED,
            "Herkes çıktı.",
            "Puanların toplamı bu oyunda sıfır değil: herkes sıfırın üstünde.",
            [True] * 4,
        ),
        (
            STOPPED[1:],
            "Çıkan yok.",
            "Puanların hepsi eşit: sıfırın üstünde kimse yok.",
            [False] * 4,
        ),
        (WHOLE_GAME[:7], "King", "Bitmedi: 20 turdan 7 tanesi oynandı", [False] * 4),
    ],
)
def test_picture_explains_what_the_scores_alone_do_not(record, entries, title, remark, best):
    data = compose(record(entries))
    assert (data["title"], data["remark"]) == (title, remark)
    assert [side["best"] for side in data["sides"]] == best


def test_badges_without_room_are_counted(record):
    shown = [badge["name"] for badge in compose(record(), "en", wide=True)["badges"]]
    assert shown == ["Phone plug", "Said it, ate it", "+ 2"]
