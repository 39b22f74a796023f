"""By what evenings are looked for."""

from django_filters import rest_framework as filters

from tournaments.api.fields import LARGEST_KEY
from tournaments.models import Event


class EventFilter(filters.FilterSet):  # type: ignore[misc]
    """Evenings of a season, in a stretch of days, tournaments or none, published or not."""

    season = filters.NumberFilter(
        "season", label="The id of a season.", min_value=1, max_value=LARGEST_KEY, decimal_places=0
    )
    held_from = filters.DateFilter("held_on", "gte", label="On this day or later.")
    held_until = filters.DateFilter("held_on", "lte", label="On this day or before.")
    is_tournament = filters.BooleanFilter(
        "tournament", "isnull", exclude=True, label="Whether it is a tournament."
    )
    published = filters.BooleanFilter("published", label="Whether everybody may see it.")
    ruleset = filters.CharFilter("ruleset", label="The id of a ruleset.")

    class Meta:
        model = Event
        fields: list[str] = []
