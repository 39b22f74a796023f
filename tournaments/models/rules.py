"""House rules: rulesets an organiser has made."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class HouseRuleset(models.Model):
    """A ruleset as a `kingscore-ruleset/1` document; games that have begun keep their own copy."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    document = models.JSONField()
    revision = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="rulesets"
    )
    changed_at = models.DateTimeField()

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
