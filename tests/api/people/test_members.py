from datetime import timedelta

import pytest
from django.utils import timezone

from tests.api.answers import faults
from tests.club_factories import AccountFactory, InvitationFactory, MemberFactory, PlayerFactory
from tournaments.models import AuditEntry, Invitation, Member

pytestmark = pytest.mark.django_db


def test_members_read_names_and_directors_addresses(program, club):
    user = MemberFactory(club=club, user__email="gizli@example.org").user
    PlayerFactory(club=club, account=user, name="Ayşe Yılmaz", initials=True)
    director, member = program.role("director", club), program.role("member", club)

    shown = director.get("clubs/moda/members/?q=gizli").json()["results"]
    assert [(m["user"], m["name"], m["email"]) for m in shown] == [
        (user.pk, user.email, user.email)
    ]
    assert member.get("clubs/moda/members/?q=gizli").json()["results"] == []
    told = member.get(f"clubs/moda/members/{user.pk}/").json()
    assert (told["name"], told["email"], told["role"]) == ("A. Y.", None, "member")


def test_owner_gives_another_role_once_it_is_as_was_read(owner, club):
    user = MemberFactory(club=club).user
    path = f"clubs/moda/members/{user.pk}/"
    seen = owner.get(path)
    changed = owner.patch(path, {"role": "director"}, If_Match=seen["ETag"])
    assert changed.json()["role"] == "director"
    assert owner.patch(path, {"role": "owner"}, If_Match=seen["ETag"]).status_code == 412
    assert faults(owner.patch(path, {"role": "king"})) == [("invalid-choice", "role")]
    assert Member.objects.get(user=user).role == "director"


def test_member_is_put_out_with_a_reason(owner, club):
    user = MemberFactory(club=club).user
    path = f"clubs/moda/members/{user.pk}/"
    assert faults(owner.delete(f"{path}?reason={'x' * 201}")) == [("max-length", "reason")]
    assert owner.delete(f"{path}?reason=no+longer+here").status_code == 204
    assert AuditEntry.objects.get(action="remove").reason == "no longer here"
    assert owner.get(path).status_code == 404


def test_invitation_is_made_read_followed_and_used_up(program, owner, club):
    key = {"Idempotency_Key": "abcdefgh-1"}
    asked = {"role": "director", "days": 2}
    made = owner.post("clubs/moda/invitations/", asked, **key)
    assert owner.post("clubs/moda/invitations/", asked, **key).json() == made.json()
    told = made.json()
    assert (told["role"], told["most_uses"], told["uses"]) == ("director", 1, 0)
    assert told["link"].endswith(f"/join/{told['id']}/{told['secret']}/")
    assert owner.get(made["Location"]).json() == told

    join = f"join/{told['id']}/{told['secret']}/"
    assert program.get(join).json()["club"] == {"slug": "moda", "name": club.name}
    assert program.post(join).status_code == 401
    guest = program.as_(AccountFactory())
    assert guest.post(join).json()["role"] == "director"
    assert guest.get(join).json()["belongs"] is True
    late = program.as_(AccountFactory()).post(join)
    assert (late.status_code, late.json()["code"]) == (410, "invitation-over")
    assert program.get(f"join/{told['id']}/wrong/").status_code == 404


def test_directors_invite_members_only_and_staff_is_invited_once(program, owner, club):
    director = program.role("director", club)
    refused = director.post("clubs/moda/invitations/", {"role": "director"})
    assert faults(refused) == [("role-of-owners", "role")]
    many = owner.post("clubs/moda/invitations/", {"role": "owner", "most_uses": None})
    assert faults(many) == [("staff-once", "most_uses")]
    assert director.post("clubs/moda/invitations/", {"most_uses": None}).status_code == 201
    InvitationFactory(club=club, role="owner", most_uses=1)
    assert len(director.get("clubs/moda/invitations/").json()["results"]) == 1
    assert len(owner.get("clubs/moda/invitations/?role=owner").json()["results"]) == 1


def test_invitation_is_withdrawn(program, owner, club):
    row = InvitationFactory(club=club)
    path = f"clubs/moda/invitations/{row.public_id}/"
    assert owner.delete(path).status_code == 204
    assert owner.delete(path).status_code == 204
    assert owner.get(path).status_code == 404
    assert program.get(f"join/{row.public_id}/{row.secret}/").status_code == 410


def test_invitations_that_have_expired_are_not_listed(owner, club):
    InvitationFactory(club=club, expires_at=timezone.now() - timedelta(minutes=1))
    assert owner.get("clubs/moda/invitations/").json()["results"] == []
    assert Invitation.objects.count() == 1
