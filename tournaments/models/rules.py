"""House rules: rulesets an organiser has made."""

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.models.clubs import Club
from tournaments.models.people import User


class HouseRulesetQuerySet(models.QuerySet["HouseRuleset"]):
    """Who may play by house rules, and who may change them."""

    def offered_to(self, user: User | AnonymousUser | None) -> "HouseRulesetQuerySet":
        """Those of the server, and of the visitor's clubs."""
        return self.filter(Q(club=None) | Q(club__in=Club.objects.of_member(user)))

    def played_in(self, club: Club) -> "HouseRulesetQuerySet":
        """Those of the server, and of one club: what is played at its evenings."""
        return self.filter(Q(club=None) | Q(club=club))


class HouseRuleset(models.Model):
    """A ruleset as a `kingscore-ruleset/1` document; games that have begun keep their own copy."""

    # Null: rules of the server, which its staff keeps and everybody may play.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.PROTECT, related_name="rulesets"
    )
    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
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
