"""What was changed in a club, by whom: lines are only ever added."""

from collections.abc import Callable
from typing import Any, NoReturn

from django.db import models
from django.db.models import Q

from tournaments.models.clubs import Club
from tournaments.models.people import User


class AuditLineQuerySet(models.QuerySet["AuditLine"]):
    """Lines to read and to add; nothing in the program deletes one, and one thing changes one."""

    def update(self, **_fields: Any) -> NoReturn:
        raise TypeError("a line of the audit is never changed")

    def delete(self) -> NoReturn:
        raise TypeError("a line of the audit is never deleted")

    def take_out_name(self, without: Callable[[Any], Any]) -> None:
        """Take a name out of these lines: the only change ever made to one.

        For a person who asked to be removed, and by that service alone, which adds a line that
        says so. `without` gives a text, or a value of JSON, without the name.
        """
        fields = ("before", "after", "reason")
        for line in list(self.only("pk", *fields)):
            new = {field: without(getattr(line, field)) for field in fields}
            new = {field: value for field, value in new.items() if value != getattr(line, field)}
            if new:
                models.QuerySet.update(self.model.objects.filter(pk=line.pk), **new)


class AuditLine(models.Model):
    """One change: who made it, when, from where, of what, and what was before and after."""

    class Kind(models.TextChoices):
        """What was changed."""

        RESULT = "result"
        PLAYER = "player"
        ROLE = "role"
        SETTINGS = "settings"
        EVENT = "event"

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="audit_lines")
    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=Kind)
    # A word for what was done, as `rename` or `correction`; `words.py` says it in languages.
    action = models.CharField(max_length=20)
    # What it was done to, as `player:17` or `game:abcdefghjk`; empty for the club itself.
    subject = models.CharField(max_length=40, blank=True)
    # Null where it was the phone of a table, or an account that is no more.
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="audit_lines"
    )
    table = models.CharField(max_length=16, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.CharField(max_length=200, blank=True)

    objects = AuditLineQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["club", "-id"], name="audit_of_club"),
            models.Index(fields=["club", "kind", "-id"], name="audit_of_kind"),
            models.Index(fields=["club", "subject", "-id"], name="audit_of_subject"),
            models.Index(fields=["club", "user", "-id"], name="audit_by_user"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["result", "player", "role", "settings", "event"]),
                name="audit_kind_known",
            ),
            models.CheckConstraint(condition=~Q(action=""), name="audit_says_what_was_done"),
        ]

    def __str__(self) -> str:
        return f"{self.action} of {self.subject or self.club}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the line; one that was added stays as it is."""
        if not self._state.adding:
            raise TypeError("a line of the audit is never changed")
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refuse: what was done was done."""
        raise TypeError("a line of the audit is never deleted")
