"""Clubs: their members and roles, their settings and logos."""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.shapes import EVENT_FIELDS, TIME_ZONE
from tournaments.engine.rules.entries import (
    SWITCH,
    Declared,
    declared,
    declared_fields,
    gettext_noop,
    one_of,
    text,
)
from tournaments.engine.rules.rulesets import LONGEST_ID, LONGEST_NAME
from tournaments.models import AuditEntry, Club, Confirmations, Invitation, Member, Player, User
from tournaments.models.clubs import Paper, Role
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.writes import Refused, free_slugs
from tournaments.services.people.merging import unlink_account
from tournaments.services.people.players import lock_people
from tournaments.services.ratings.computing import rate_club_again, rate_server_again

INVITED_FOR = timedelta(days=14)

ROLE_KIND, SETTINGS_KIND = AuditEntry.Kind.ROLE, AuditEntry.Kind.SETTINGS
LEAVE = Change(ROLE_KIND, "leave")


class LastOwner(Refused, code="last-owner"):
    sentence = _(
        "%(club)s has no other owner. Make somebody else an owner first, then this can be done."
    )


@dataclass(frozen=True, slots=True)
class ClubSettings:
    """Settings made by a club's owners; codes and confirmations are defaults for new events."""

    name: str = field(
        metadata=declared(
            text(LONGEST_NAME, least=1),
            gettext_noop("Name"),
            question=gettext_noop("Name of the club"),
        )
    )
    published: bool = field(
        default=False,
        metadata=declared(
            SWITCH,
            gettext_noop("Published"),
            question=gettext_noop("Everybody may see the club’s name and its published evenings"),
            shown=True,
        ),
    )
    table_codes: bool = field(default=False, metadata={"declared": EVENT_FIELDS["table_codes"]})
    confirmations: str = field(
        default=Confirmations.NONE, metadata={"declared": EVENT_FIELDS["confirmations"]}
    )
    rates_evenings: bool = field(
        default=False,
        metadata=declared(SWITCH, gettext_noop("Games of evenings count for the ratings, too")),
    )
    in_server_ratings: bool = field(
        default=False,
        metadata=declared(
            SWITCH,
            gettext_noop(
                "The club takes part in the ratings of all clubs, which everybody may see"
            ),
        ),
    )
    paper: str = field(
        default=Paper.A4,
        metadata=declared(
            one_of(tuple(Paper.values)),
            gettext_noop("Paper"),
            question=gettext_noop("Paper of the club’s documents"),
        ),
    )
    time_zone: str = field(
        default="",
        metadata=declared(
            TIME_ZONE,
            gettext_noop("Time zone"),
            shown=True,
        ),
    )


CLUB_FIELDS: Mapping[str, Declared] = declared_fields(ClubSettings)


@dataclass(frozen=True, slots=True)
class Offer:
    """The terms of an invitation; only the member role may be given more than once.

    Without `most_uses` the number of uses is unlimited until it expires.
    """

    role: Role
    most_uses: int | None = 1
    lasts: timedelta = INVITED_FOR


def create_club(name: str, by: Actor, *, at: datetime) -> Club:
    """Create a club with a slug made from its name; `by` becomes its owner."""
    name = " ".join(name.split())
    taken = Club.objects.values_list("slug", flat=True)
    for slug in free_slugs(name, "club", LONGEST_ID, frozenset(taken)):
        try:
            with transaction.atomic():
                club = Club.objects.create(slug=slug, name=name, created_at=at)
                note_change(club, Change(SETTINGS_KIND, "create", after={"name": name}), by, at=at)
                _join(club, Role.OWNER, by, at=at)
                return club
        except IntegrityError:
            # Two clubs created at once with one name get a slug each; a deleted account gets none.
            if not Club.objects.filter(slug=slug).exists():
                raise
    raise AssertionError("there is always another slug")


def change_settings(club_pk: int, chosen: ClubSettings, by: Actor, *, at: datetime) -> Club:
    """Change the settings of a club; its slug stays, even under a new name."""
    with transaction.atomic():
        club = lock_people(club_pk)
        new = asdict(chosen) | {"name": " ".join(chosen.name.split())}
        after = {name: value for name, value in new.items() if getattr(club, name) != value}
        if after:
            before = {name: getattr(club, name) for name in after}
            for name, value in after.items():
                setattr(club, name, value)
            club.save(update_fields=list(after))
            if "rates_evenings" in after:
                rate_club_again(club.pk)
            if "in_server_ratings" in after:
                rate_server_again(club.pk)
            change = Change(SETTINGS_KIND, "change", before=before, after=after)
            note_change(club, change, by, at=at)
    return club


def invite(club: Club, offer: Offer, by: Actor, *, at: datetime) -> Invitation:
    with transaction.atomic():
        invitation = Invitation.objects.create(
            club=club,
            role=offer.role,
            created_at=at,
            expires_at=at + offer.lasts,
            most_uses=offer.most_uses if offer.role == Role.MEMBER else 1,
        )
        after = {
            "role": invitation.role,
            "uses": invitation.most_uses,
            "expires": invitation.expires_at.isoformat(),
        }
        change = Change(ROLE_KIND, "invite", _subject_of_link(invitation), after=after)
        note_change(club, change, by, at=at)
    return invitation


def withdraw_invitation(pk: int, by: Actor, *, at: datetime) -> None:
    with transaction.atomic():
        invitation = _locked_invitation(pk)
        if invitation.withdrawn_at is not None:
            return
        _withdraw(invitation, by, at=at)


def accept_invitation(pk: int, by: Actor, *, at: datetime) -> Member:
    """Accept an invitation. A member with that role or a higher one does not use it up.

    Raises: Invitation.DoesNotExist: it is unknown, expired or withdrawn; nothing is written.
    """
    user = by.account
    with transaction.atomic():
        invitation = _locked_invitation(pk)
        club, role = invitation.club, Role(invitation.role)
        member = Member.objects.filter(club=club, user=user).first()
        if member is not None and not outranks(role, Role(member.role)):
            return member
        if not Invitation.objects.standing(at).filter(pk=pk).exists():
            raise Invitation.DoesNotExist
        invitation.uses += 1
        invitation.save(update_fields=["uses"])
        if member is None:
            return _join(club, role, by, at=at, link=_subject_of_link(invitation))
        return _give_role(member, role, by, at=at)


def change_role(club_pk: int, user_pk: int, role: Role, by: Actor, *, at: datetime) -> Member:
    """Change the role of a member.

    Raises:
        LastOwner: nobody else owns the club.
        Member.DoesNotExist: the account is not in the club.
    """
    with transaction.atomic():
        club = lock_people(club_pk)
        member = Member.objects.get(club=club, user=user_pk)
        if member.role == role:
            return member
        _keep_an_owner(club, member)
        if member.role == Role.OWNER:
            _withdraw_links_of_staff(club, by, at=at)
        return _give_role(member, role, by, at=at)


def remove_member(club_pk: int, user_pk: int, by: Actor, *, at: datetime, reason: str = "") -> None:
    """Remove an account from a club; its player and results stay. Idempotent.

    Raises: LastOwner: nobody else owns the club; nothing is written.
    """
    with transaction.atomic():
        change = Change(ROLE_KIND, "remove", reason=reason)
        _take_out(lock_people(club_pk), user_pk, change, by, at=at)


def leave_club(club_pk: int, by: Actor, *, at: datetime) -> None:
    """Leave a club; one's player and results stay. Idempotent.

    Raises: LastOwner: nobody else owns the club; nothing is written.
    """
    with transaction.atomic():
        _take_out(lock_people(club_pk), by.account.pk, LEAVE, by, at=at)


def delete_account(by: Actor, *, at: datetime) -> None:
    """Delete an account permanently; its players stay in their clubs without an account.

    Raises: LastOwner: a club would be without an owner; nothing is deleted.
    """
    user = by.account
    with transaction.atomic():
        # Lock clubs in one order, so that two deletions at once do not deadlock.
        theirs = Club.objects.filter(Q(members__user=user) | Q(players__account=user))
        for pk in theirs.order_by("pk").values_list("pk", flat=True).distinct():
            _take_out(lock_people(pk), user.pk, LEAVE, by, at=at)
        for player in Player.objects.filter(account=user):
            unlink_account(player.pk, by, at=at)
        User.objects.filter(pk=user.pk).delete()


def outranks(role: Role, other: Role) -> bool:
    ranks = list(Role)
    return ranks.index(role) < ranks.index(other)


def _locked_invitation(pk: int) -> Invitation:
    lock_people(Invitation.objects.get(pk=pk).club_id)
    return Invitation.objects.select_related("club").get(pk=pk)


def _join(club: Club, role: Role, by: Actor, *, at: datetime, link: str = "") -> Member:
    user = by.account
    member = Member.objects.create(club=club, user=user, role=role, joined_at=at)
    after = {"role": role} | ({"invitation": link} if link else {})
    note_change(club, Change(ROLE_KIND, "join", _subject_of(user.pk), after=after), by, at=at)
    return member


def _give_role(member: Member, role: Role, by: Actor, *, at: datetime) -> Member:
    before, member.role = member.role, role
    member.save(update_fields=["role"])
    change = Change(
        ROLE_KIND, "role", _subject_of(member.user_id), {"role": before}, {"role": role}
    )
    note_change(member.club, change, by, at=at)
    return member


def _take_out(club: Club, user_pk: int, change: Change, by: Actor, *, at: datetime) -> None:
    member = Member.objects.filter(club=club, user=user_pk).first()
    if member is None:
        return
    _keep_an_owner(club, member)
    if member.role == Role.OWNER:
        _withdraw_links_of_staff(club, by, at=at)
    member.delete()
    change = replace(change, subject=_subject_of(user_pk), before={"role": member.role})
    note_change(club, change, by, at=at)


def _keep_an_owner(club: Club, going: Member) -> None:
    """Refuse to remove the only owner. The caller holds the lock of the club.

    Raises: LastOwner: `going` is the only one.
    """
    if going.role != Role.OWNER:
        return
    if not club.members.filter(role=Role.OWNER).exclude(pk=going.pk).exists():
        raise LastOwner({"club": club.name}, {"club": club.slug})


def _withdraw_links_of_staff(club: Club, by: Actor, *, at: datetime) -> None:
    """Withdraw staff invitations: a leaving owner has seen them and could become owner again."""
    standing = Invitation.objects.standing(at).filter(club=club).exclude(role=Role.MEMBER)
    for invitation in standing.select_related("club").order_by("pk"):
        _withdraw(invitation, by, at=at)


def _withdraw(invitation: Invitation, by: Actor, *, at: datetime) -> None:
    invitation.withdrawn_at = at
    invitation.save(update_fields=["withdrawn_at"])
    before = {"role": invitation.role, "used": invitation.uses}
    change = Change(ROLE_KIND, "withdraw", _subject_of_link(invitation), before=before)
    note_change(invitation.club, change, by, at=at)


def _subject_of(user_pk: int) -> str:
    """Return the account's subject in the audit; entries never contain its name."""
    return f"account:{user_pk}"


def _subject_of_link(invitation: Invitation) -> str:
    return f"invitation:{invitation.public_id}"


MOST_BYTES = 1024 * 1024
MOST_PIXELS = 2000
KEPT_PIXELS = 480
"""Maximum stored size: sharp in print at 34 mm, and a document contains it only once."""

FORMATS = ("PNG", "JPEG")


class NoPicture(Refused, code="no-picture", status=422):
    sentence = _("This is no PNG or JPEG picture.")


class PictureTooLarge(Refused, code="picture-too-large", status=413):
    sentence = _("The picture is too large: up to 1 MB and 2000 pixels wide and high.")


@dataclass(frozen=True, slots=True)
class Logo:
    """A stored picture; `kind` is png or jpeg."""

    content: bytes
    kind: str

    @property
    def name(self) -> str:
        """A file name derived from the content, so that equal pictures share a file."""
        return f"{hashlib.sha256(self.content).hexdigest()[:24]}.{self.kind}"


def draw_anew(sent: bytes) -> Logo:
    """Return the picture in a file, redrawn: pixels only, without metadata.

    Raises:
        NoPicture: the file is no picture, or of an unsupported kind.
        PictureTooLarge: the file or the picture is too large.
    """
    from PIL import Image, ImageOps

    if len(sent) > MOST_BYTES:
        raise PictureTooLarge
    try:
        # Opening reads the header only; nothing is unpacked before the size is known.
        with Image.open(io.BytesIO(sent), formats=FORMATS) as opened:
            if max(opened.size) > MOST_PIXELS:
                raise PictureTooLarge
            kind = "jpeg" if opened.format == "JPEG" else "png"
            picture = ImageOps.exif_transpose(opened).convert("RGB" if kind == "jpeg" else "RGBA")
            picture.thumbnail((KEPT_PIXELS, KEPT_PIXELS), Image.Resampling.LANCZOS)
            # Paste onto a new image, since a picture keeps its metadata.
            clean = Image.new(picture.mode, picture.size)
            clean.paste(picture)
            buffer = io.BytesIO()
            clean.save(buffer, kind.upper(), optimize=True, quality=90)
            return Logo(buffer.getvalue(), kind)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise NoPicture from error


def change_logo(club_pk: int, picture: Logo | None, by: Actor, *, at: datetime) -> Club:
    """Replace or remove a club's logo; delete the old file."""
    with transaction.atomic():
        club = lock_people(club_pk)
        before, club.logo = club.logo.name or "", ""
        if picture is not None:
            club.logo.save(f"{club.pk}-{picture.name}", ContentFile(picture.content), save=False)
        if club.logo.name == before:
            return club
        club.save(update_fields=["logo"])
        action = "remove-logo" if picture is None else "change-logo"
        note_change(club, Change(AuditEntry.Kind.SETTINGS, action), by, at=at)
        if before:
            # After the commit: a rollback must not lose the file.
            transaction.on_commit(partial(default_storage.delete, before))
    return club
