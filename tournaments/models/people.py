"""Players, their kept sums, and tokens of accounts."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.db.models import Q
from django.utils.translation import get_language, pgettext_lazy
from knox.models import AbstractAuthToken, AuthTokenManager
from knox.settings import CONSTANTS

from tournaments.engine.rules.rulesets import LONGEST_NAME, LONGEST_TOKEN_NAME
from tournaments.models import fields
from tournaments.models.fields import ALPHABET, WrittenJSONField, new_public_id

MOST_WRONG_CLAIMS = 1000
"""Wrong codes after which a player's code is void until a director gives a new one.

This takes strangers days, since each is limited by account and network.
"""

MOST_WRONG_TYPED = 20
"""Wrong codes that an account may type in an hour, over all players."""

CODE_LENGTH = 8
"""40 bits: impossible to guess with a thousand tries per player."""

LONGEST_SEARCH = 160
"""Characters of a search that are read: no name is longer, and each word costs a condition."""

DOTTED = re.compile("i[\u0300-\u036f]+")
DOTLESS = str.maketrans({"İ": "i", "I": "i", "ı": "i"})


def fold_name(name: str) -> str:
    """Return the key for comparing and sorting names: without case, one i, single spaces.

    The key is decomposed, so that ç sorts after c and before d, as in Turkish.
    """
    seen = "".join(c for c in name if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFKC", seen).translate(DOTLESS).casefold()
    # Software without Turkish casing turns İ into an i with an extra dot.
    plain = DOTTED.sub(lambda i: i[0].replace("\u0307", ""), unicodedata.normalize("NFKD", folded))
    return " ".join(plain.split())


def plain_name(name: str) -> str:
    """Return the key for searching names: folded, and without diacritics."""
    return "".join(c for c in fold_name(name) if not unicodedata.combining(c))


LOWER = str.maketrans({"İ": "i", "I": "ı"})
TURKISH = "abcçdefgğhıijklmnoöpqrsştuüvwxyz"
# Before the letters of other alphabets, behind spaces and digits.
PLACES = {ord(letter): chr(128 + place) for place, letter in enumerate(TURKISH)}


def name_order(name: str) -> tuple[str, ...]:
    """Return the key that sorts a name as the active language does.

    In Turkish ç, ğ, ı, ö, ş and ü are letters of their own, each after the letter it resembles (ı
    before i); elsewhere diacritics only decide among equals. Database orders know no language, and
    the libraries that do are ICU, which hosts would have to compile, or know no Turkish.
    """
    if get_language() != "tr":
        folded = fold_name(name)
        return "".join(c for c in folded if not unicodedata.combining(c)), folded, name
    letters = name.translate(LOWER).lower()
    for other in {*letters}.difference(TURKISH):
        letters = letters.replace(other, plain_name(other) if other.isalnum() else " ")
    return letters.translate(PLACES), name


def fold_email(address: str) -> str:
    """Return an e-mail address as it is stored and compared: in small letters, with one i.

    Phones with a Turkish keyboard capitalise the first letter: İpek@…, whose lower case has a dot
    of its own, which no mailbox has.
    """
    plain = unicodedata.normalize("NFKC", address).translate(DOTLESS).lower()
    return plain.replace("i\u0307", "i").strip()


class User(AbstractUser):  # type: ignore[django-manager-missing]
    """An account. Staff accounts run the server: its house rules and the back office."""

    # Number of wrong claim codes entered, and since when they are counted.
    wrong_claims = models.PositiveSmallIntegerField(default=0, editable=False)
    wrong_claims_since = models.DateTimeField(null=True, blank=True, editable=False)
    # Language of the last sign-in, for e-mails; empty if unknown.
    language = models.CharField(max_length=8, blank=True, editable=False)
    # Of the tables that the account keeps: the name that each folded name stands for.
    joined_names = models.JSONField(default=dict, editable=False)
    # Raising it revokes the address of the account's calendar.
    calendar_generation = models.PositiveIntegerField(default=1, editable=False)

    @property
    def calendar_secret(self) -> str:
        return fields.derive("calendar", str(self.pk), self.calendar_generation)


Visitor = User | AnonymousUser | None
"""The requesting visitor: an account, or anonymous."""


PUBLIC = Q(club__published=True, club__in_server_ratings=True, initials=False)
"""The players whose names everybody may see."""


class PlayerQuerySet(models.QuerySet["Player"]):
    def present(self) -> "PlayerQuerySet":
        return self.filter(merged_into=None, removed_at=None)

    def belonging_to(self, user: User | AnonymousUser) -> "PlayerQuerySet":
        """Filter to the players that an account has claimed; none for an anonymous visitor."""
        return self.present().filter(account=user) if user.is_authenticated else self.none()

    def called(self, name: str) -> "PlayerQuerySet":
        """Filter to the player with this name, ignoring case and dots; merged players included."""
        return self.filter(name_key=fold_name(name), removed_at=None)

    def matching(self, text: str, *, directs: bool = True) -> "PlayerQuerySet":
        """Filter to the players whose names contain every word of `text`.

        Only directors find players who asked for initials.
        """
        words = [Q(search_key__contains=word) for word in plain_name(text[:LONGEST_SEARCH]).split()]
        found = self.filter(*words)
        return found if directs or not text.strip() else found.filter(initials=False)

    def claimable_at(self, public_id: str, secret: str) -> "PlayerQuerySet":
        players = fields.found_at(self.present(), "claim", public_id, secret, "claim_generation")
        return players.filter(account=None)


class Player(models.Model):
    """A person who plays in a club, with or without an account.

    `name` is the whole name; `shown_name` is the name that others see.
    """

    club = models.ForeignKey("tournaments.Club", on_delete=models.PROTECT, related_name="players")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=LONGEST_NAME, blank=True)
    name_key = models.CharField(max_length=240, blank=True, editable=False)
    search_key = models.CharField(max_length=160, blank=True, editable=False)
    account = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="players"
    )
    initials = models.BooleanField(default=False)
    claim_generation = models.PositiveIntegerField(default=1)
    wrong_claims = models.PositiveSmallIntegerField(default=0)
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="merged"
    )
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = PlayerQuerySet.as_manager()

    class Meta:
        ordering = ["name_key", "pk"]
        indexes = [
            # Lists page and search with index-only scans, so the index includes even the fields of
            # its condition.
            models.Index(
                fields=["club", "name_key", "search_key", "initials", "merged_into", "removed_at"],
                condition=Q(merged_into=None, removed_at=None),
                name="player_present",
            )
        ]
        constraints = [
            # Includes players merged into another one: undoing the merge gives them their names
            # back.
            models.UniqueConstraint(
                fields=["club", "name_key"],
                condition=Q(removed_at=None),
                name="player_one_per_name",
            ),
            models.UniqueConstraint(
                fields=["club", "account"],
                condition=Q(account__isnull=False),
                name="player_one_per_account",
            ),
            models.CheckConstraint(
                condition=(~Q(name="") & Q(removed_at=None))
                | Q(name="", account=None, removed_at__isnull=False),
                name="player_named_until_removed",
            ),
            models.CheckConstraint(
                condition=Q(merged_into=None) | Q(account=None), name="player_merged_no_account"
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"player {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Update the keys for comparing names."""
        self.name_key, self.search_key = fold_name(self.name), plain_name(self.name)
        if kwargs.get("update_fields") is not None:
            kwargs["update_fields"] = {*kwargs["update_fields"], "name_key", "search_key"}
        super().save(*args, **kwargs)

    @property
    def shown_name(self) -> str:
        """Return the name, or the initials if the player asked for that; empty once removed."""
        if not self.initials:
            return self.name
        return " ".join(f"{word[0]}." for word in self.name.split())

    @property
    def claim_secret(self) -> str:
        return fields.derive("claim", self.public_id, self.claim_generation)

    @property
    def claim_code(self) -> str:
        """Return the code to type without a link: the public id and the secret."""
        code = fields.derive_code(
            "claim-code", self.public_id, self.claim_generation, ALPHABET, CODE_LENGTH
        )
        return f"{self.pk}-{code[:4]}-{code[4:]}"


class Merge(models.Model):
    """Two players merged as one person, with the data to undo the merge."""

    kept = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges")
    gone = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merged_away")
    # Primary keys of the seats moved from `gone`.
    seats = models.JSONField()
    # Primary keys of the entrants moved, by the field that referred to `gone`.
    entrants = models.JSONField(default=dict)
    account_moved = models.BooleanField()
    # Whether `kept` is shown by initials only because `gone` had asked for it.
    initials_taken = models.BooleanField(default=False)
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["gone"], condition=Q(undone_at=None), name="merge_one_at_a_time"
            ),
            models.CheckConstraint(condition=~Q(kept=models.F("gone")), name="merge_of_two"),
        ]


class KeptSums(models.Model):
    """The sums of a player's games of one `part`: a kind of game, a season and a year.

    They hold for one `version` of these games. Nothing keeps them up to date: a page that finds
    another version reads the games and stores their sums.
    """

    # The constraint begins with this field, so it needs no index.
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="kept_sums", db_index=False
    )
    part = models.CharField(max_length=80)
    version = models.CharField(max_length=80)
    sums = WrittenJSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "part"], name="kept_sums_once"),
        ]
        verbose_name_plural = "kept sums"


ANSWERS_KEPT = timedelta(days=2)
"""Time for which the answer to an idempotency key is repeated."""


class Scope(models.TextChoices):
    """A permission of a personal token, within those of its account; none includes another."""

    READ = "read", pgettext_lazy("what a program may", "Read")
    # Games: sheets, confirmations and scoring.
    SCORE = "score", pgettext_lazy("what a program may", "Write sheets")
    # Directors' work: players, evenings, tournaments, documents, imports.
    DIRECT = "direct", pgettext_lazy("what a program may", "Direct")
    # Owners' work: roles, settings, webhooks; and the account's own settings.
    MANAGE = "manage", pgettext_lazy("what a program may", "Manage")


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    def of(self, user: User | AnonymousUser) -> "PersonalTokenQuerySet":
        """Filter to the tokens of an account; none for an anonymous visitor."""
        return self.filter(user=user) if user.is_authenticated else self.none()

    def lasting(self, at: datetime) -> "PersonalTokenQuerySet":
        return self.exclude(expiry__lte=at)


class PersonalToken(AbstractAuthToken):  # type: ignore[misc]
    """A token with which a program acts for an account; the row keeps only its digest."""

    # Unlike in the parent, not the primary key, which addresses in the back office would show.
    digest = models.CharField(max_length=CONSTANTS.DIGEST_LENGTH, unique=True)
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=LONGEST_TOKEN_NAME)
    # Values of Scope, in its order.
    scopes = models.JSONField()
    # Precise to the minute.
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects = AuthTokenManager.from_queryset(PersonalTokenQuerySet)()

    class Meta:
        ordering = ["-created", "public_id"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="token_has_a_name"),
            models.CheckConstraint(condition=~Q(scopes=[]), name="token_may_do_something"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of account {self.user_id}"


@dataclass(frozen=True, slots=True)
class ApplicationToken:
    """The access token of an application (OAuth), with the fields of a personal token.

    `public_id` is the same for all tokens of an application and an account.
    """

    public_id: str
    name: str
    scopes: Sequence[str]
    expiry: datetime


ScopedToken = PersonalToken | ApplicationToken
"""The tokens that act for an account, within their scopes."""


class IdempotencyRecordQuerySet(models.QuerySet["IdempotencyRecord"]):
    def expired(self, at: datetime) -> "IdempotencyRecordQuerySet":
        return self.filter(at__lt=at - ANSWERS_KEPT)


class IdempotencyRecord(models.Model):
    """A stored answer to a POST with an idempotency key, for repeating it.

    Key, caller and request are stored as digests. The answer can contain access links, so it is
    encrypted with the server's secret.
    """

    key = models.CharField(max_length=64, unique=True)
    request = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)
    at = models.DateTimeField()

    objects = IdempotencyRecordQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["at"], name="answer_by_age")]
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="answer_key_not_empty"),
        ]
