import io

import pytest
from PIL import Image

from tests.api.conftest import faults, refused
from tests.club_factories import ClubFactory
from tournaments.models import AuditEntry, Member

pytestmark = pytest.mark.django_db


def png(size=(20, 10)):
    out = io.BytesIO()
    Image.new("RGB", size, "green").save(out, "PNG")
    return out.getvalue()


def test_own_and_published_clubs_are_listed_with_ones_role(program, owner, club):
    ClubFactory(slug="public", name="Açık", published=True)
    ClubFactory(slug="secret")

    seen = owner.get("clubs/").json()["results"]
    assert [(c["slug"], c["role"]) for c in seen] == [("public", None), ("moda", "owner")]
    assert [c["slug"] for c in owner.get("clubs/?role=owner").json()["results"]] == ["moda"]
    assert [c["slug"] for c in program.get("clubs/").json()["results"]] == ["public"]


@pytest.fixture
def put(owner, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path

    def put(content, kind="image/png", **headers):
        headers = {"Authorization": f"Bearer {owner.token}", **headers}
        return owner.client.generic(
            "PUT", "/api/v1/clubs/moda/logo/", content, content_type=kind, headers=headers
        )

    return put


def test_logo_is_put_read_changed_as_it_was_seen_and_taken_away(owner, put):
    path = "clubs/moda/logo/"
    assert owner.get(path).status_code == 404
    assert put(png()).status_code == 204
    seen = owner.get(path)
    assert (seen.status_code, seen["Content-Type"]) == (200, "image/png")
    assert Image.open(io.BytesIO(seen.content)).size == (20, 10)
    assert owner.get("clubs/moda/").json()["logo"].endswith(f"/api/v1/{path}")
    assert put(png((30, 10)), **{"If-Match": seen["ETag"]}).status_code == 204

    now = owner.get(path)["ETag"]
    stale = put(png(), **{"If-Match": seen["ETag"]}), owner.delete(path, If_Match=seen["ETag"])
    for answer in stale:
        assert refused(answer) == (412, "changed-meanwhile")
        assert answer["ETag"] == now != seen["ETag"]
    denied = put(b"no picture"), put(png((2001, 1))), put(b"{}", "application/json")
    assert [refused(answer) for answer in denied] == [
        (422, "no-picture"),
        (413, "picture-too-large"),
        (415, "unsupported-media-type"),
    ]
    assert owner.delete(path, If_Match=now).status_code == 204
    assert owner.get("clubs/moda/").json()["logo"] is None


def test_seasons_are_made_changed_and_removed_by_directors(director, club):
    season = {"name": "2026", "starts_on": "2026-01-01", "ends_on": "2026-12-31"}
    path = director.post("clubs/moda/seasons/", season)["Location"]
    assert refused(director.post("clubs/moda/seasons/", season)) == (409, "season-name-taken")
    changed = director.patch(path, {"league_best": 5})
    assert changed.json() == director.get(path).json()
    assert (changed.json()["league_best"], changed.json()["events"]) == (5, 0)
    wrong = director.patch(path, {"ends_on": "2025-12-31"})
    assert faults(wrong) == [("ends-before-it-starts", "ends_on")]
    assert director.delete(path).status_code == 204


def test_audit_is_filtered_by_directors(owner, club):
    for name in ("B", "C", "D"):
        owner.patch("clubs/moda/settings/", {"name": name})
    dates = {"name": "2026", "starts_on": "2026-01-01", "ends_on": "2026-12-31"}
    owner.post("clubs/moda/seasons/", dates)

    lines = owner.get("clubs/moda/audit/").json()["results"]
    told = [(line["action"], line["after"]["name"]) for line in lines]
    assert told == [("add-season", "2026"), *(("change", each) for each in "DCB")]
    by = Member.objects.get(club=club).user
    assert (lines[3]["before"], lines[3]["kind"]) == ({"name": club.name}, "settings")
    assert (lines[3]["user"], lines[3]["name"]) == (by.pk, by.email)

    moment = AuditEntry.objects.get(action="add-season").at.isoformat().replace("+00:00", "Z")
    asked = {"action=change": 3, f"user={by.pk}": 4, "kind=role": 0}
    asked |= {f"at_from={moment}": 1, f"at_until={moment}": 3}
    found = {q: len(owner.get(f"clubs/moda/audit/?{q}").json()["results"]) for q in asked}
    assert found == asked
    for wrong in ("kind=x", f"user={10**30}", "at_from=0001-01-01T00:00:00%2B14:00"):
        assert owner.get(f"clubs/moda/audit/?{wrong}").status_code == 422
    assert owner.get(f"clubs/moda/members/{10**30}/").status_code == 404


def test_month_by_mail_is_switched_by_whoever_directs(director):
    path, off = "me/clubs/moda/month/", {"by_mail": False}
    assert director.get(path).json() == {"by_mail": True}
    assert director.put(path, off).json() == director.get(path).json() == off
