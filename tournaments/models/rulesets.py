"""House rules: rulesets made by an organiser."""

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.engine.rules.rulesets import LONGEST_ID, LONGEST_NAME
from tournaments.models.clubs import Club
from tournaments.models.people import User


class HouseRulesetQuerySet(models.QuerySet["HouseRuleset"]):
    def offered_to(self, user: User | AnonymousUser | None) -> "HouseRulesetQuerySet":
        return self.filter(Q(club=None) | Q(club__in=Club.objects.of_member(user)))

    def played_in(self, club: Club) -> "HouseRulesetQuerySet":
        return self.filter(Q(club=None) | Q(club=club))


class HouseRuleset(models.Model):
    """A ruleset as a `kingscore-ruleset/1` document; games that have begun keep their own copy."""

    # Null for the server's rules, which staff maintain and everybody may play.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.PROTECT, related_name="rulesets"
    )
    slug = models.SlugField(max_length=LONGEST_ID, unique=True)
    name = models.CharField(max_length=LONGEST_NAME)
    document = models.JSONField()
    revision = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="rulesets"
    )
    changed_at = models.DateTimeField()

    objects = HouseRulesetQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(condition=~Q(slug=""), name="house_ruleset_has_a_slug"),
            models.CheckConstraint(condition=~Q(name=""), name="house_ruleset_has_a_name"),
            models.CheckConstraint(
                condition=Q(revision__gte=1), name="house_ruleset_revision_from_one"
            ),
        ]

    def __str__(self) -> str:
        return self.name
