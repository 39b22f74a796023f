"""Who signs in, and who plays: a player of a club need not have an account."""

import re
import unicodedata
from typing import Any

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.addresses import ALPHABET, new_public_id

MOST_WRONG_CLAIMS = 1000
"""So many wrong codes make a player's code worthless until a director gives a new one.

It takes strangers days to come so far, each being limited by account and network.
"""

MOST_WRONG_TYPED = 20
"""So many wrong codes an account may type in an hour, of whatever players."""

CODE_LENGTH = 8
"""40 bits: with a thousand tries a player, nothing to be guessed."""

LONGEST_SEARCH = 160
"""So much of what is looked for is read: no name is longer, and each word costs the database."""

DOTTED = re.compile("i[\u0300-\u036f]+")
DOTLESS = str.maketrans({"İ": "i", "I": "i", "ı": "i"})


def fold_name(name: str) -> str:
    """What names are compared and sorted by: without case, with one i, single spaces.

    Decomposed, so that ç stands after every c and before d, as Turkish has it.
    """
    seen = "".join(c for c in name if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFKC", seen).translate(DOTLESS).casefold()
    # Programs that know no Turkish make of İ an i with a dot more.
    plain = DOTTED.sub(lambda i: i[0].replace("\u0307", ""), unicodedata.normalize("NFKD", folded))
    return " ".join(plain.split())


def plain_name(name: str) -> str:
    """What names are searched by: as folded, and without the marks of its letters."""
    return "".join(c for c in fold_name(name) if not unicodedata.combining(c))


class User(AbstractUser):  # type: ignore[django-manager-missing]
    """An account; one of the staff runs the server: keeps its house rules, has the back office."""

    # How many wrong claim codes it has typed, and since when they are counted.
    wrong_claims = models.PositiveSmallIntegerField(default=0, editable=False)
    wrong_claims_since = models.DateTimeField(null=True, blank=True, editable=False)
    # That in which they last signed in, for mails; empty where it is not known.
    language = models.CharField(max_length=8, blank=True, editable=False)


Visitor = User | AnonymousUser | None
"""Who asks: somebody signed in, or nobody known."""


class PlayerQuerySet(models.QuerySet["Player"]):
    """Which players there are."""

    def present(self) -> "PlayerQuerySet":
        """Those of today: neither merged into another one, nor removed."""
        return self.filter(merged_into=None, removed_at=None)

    def belonging_to(self, user: User | AnonymousUser) -> "PlayerQuerySet":
        """Those whom an account has claimed; none for a visitor without one."""
        return self.present().filter(account=user) if user.is_authenticated else self.none()

    def called(self, name: str) -> "PlayerQuerySet":
        """The one with this name, up to case and dots; also who was merged into another one."""
        return self.filter(name_key=fold_name(name), removed_at=None)

    def matching(self, text: str) -> "PlayerQuerySet":
        """Those with every word of `text` somewhere in their names."""
        words = [Q(search_key__contains=word) for word in plain_name(text[:LONGEST_SEARCH]).split()]
        return self.filter(*words)

    def matching_shown(self, text: str) -> "PlayerQuerySet":
        """As `matching`; who asked for initials is found by no part of the whole name."""
        return self.matching(text).filter(initials=False) if text.strip() else self

    def claimable_at(self, public_id: str, secret: str) -> "PlayerQuerySet":
        """The player whom whoever has this address may claim."""
        players = addresses.found_at(self.present(), "claim", public_id, secret, "claim_generation")
        return players.filter(account=None)


class Player(models.Model):
    """A person who plays in a club, with or without an account.

    `name` is the whole name; how it is shown to others says `shown_name`.
    """

    club = models.ForeignKey("tournaments.Club", on_delete=models.PROTECT, related_name="players")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=80, blank=True)
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
            # Lists are leafed through and searched in the index alone, without a look at the rows:
            # for that it holds even what it is limited to.
            models.Index(
                fields=["club", "name_key", "search_key", "initials", "merged_into", "removed_at"],
                condition=Q(merged_into=None, removed_at=None),
                name="player_present",
            )
        ]
        constraints = [
            # Also of those merged into another one: undone, they have their names again.
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
        """Keep what names are compared by beside the name."""
        self.name_key, self.search_key = fold_name(self.name), plain_name(self.name)
        if kwargs.get("update_fields") is not None:
            kwargs["update_fields"] = {*kwargs["update_fields"], "name_key", "search_key"}
        super().save(*args, **kwargs)

    @property
    def shown_name(self) -> str:
        """The name, or its initials where the player asked for that; empty once removed."""
        if not self.initials:
            return self.name
        return " ".join(f"{word[0]}." for word in self.name.split())

    @property
    def claim_secret(self) -> str:
        """The secret part of the address at which the player is claimed."""
        return addresses.derive("claim", self.public_id, self.claim_generation)

    @property
    def claim_code(self) -> str:
        """What to type where there is no link: a name that tells the row, and the secret."""
        code = addresses.derive_code(
            "claim-code", self.public_id, self.claim_generation, ALPHABET, CODE_LENGTH
        )
        return f"{self.pk}-{code[:4]}-{code[4:]}"


class Merge(models.Model):
    """Two players who turned out to be one person, and what to give back if they were not."""

    kept = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges")
    gone = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merged_away")
    # The keys of the seats that were those of `gone`.
    seats = models.JSONField()
    # Those of the entrants, by the field in which they named `gone`.
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

    def __str__(self) -> str:
        return f"{self.gone_id} into {self.kept_id}"
