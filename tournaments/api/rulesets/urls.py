"""Addresses of the rules."""

from django.urls import URLPattern, path

from tournaments.api.rulesets import views


def kept_by(keeper: str, at: str) -> list[URLPattern]:
    """The same addresses for each keeper, below `at`; `keeper` begins their names."""
    one = f"{at}<slug:slug>/"
    return [
        path(at, views.HouseRules.as_view(), name=f"{keeper}house_rules"),
        path(one, views.OneHouseRules.as_view(), name=f"{keeper}house_ruleset"),
    ]


urlpatterns = [
    path("rulesets/", views.Rulesets.as_view(), name="rulesets"),
    path("rulesets/<slug:ruleset>/", views.OneRuleset.as_view(), name="ruleset"),
    path("rulesets/<slug:ruleset>/ruleset/", views.RulesetRecord.as_view(), name="ruleset_record"),
    path("describe/", views.Describe.as_view(), name="describe"),
    path("schemas/", views.Schemas.as_view(), name="schemas"),
    path("schemas/<str:file>", views.OneSchema.as_view(), name="schema"),
    *kept_by("", "house-rules/"),
    *kept_by("club_", "clubs/<slug:club>/house-rules/"),
]
