"""Addresses of the house rules of the server and of clubs."""

from django.urls import URLPattern, include, path

from tournaments.web.rulesets import house_rules, views

GAME = "<str:public_id>/<str:secret>"


def house_rules_urls(keeper: str) -> list[URLPattern]:
    """Return the same pages for each keeper; `keeper` prefixes their names."""
    return [
        path("", house_rules.house_rules, name=f"{keeper}house_rules"),
        path("new/copy/", house_rules.copy_rules, name=f"{keeper}copy_rules"),
        path("new/import/", house_rules.import_rules, name=f"{keeper}import_rules"),
        path("<slug:slug>/", house_rules.house_ruleset, name=f"{keeper}house_ruleset"),
        path("<slug:slug>/ruleset.json", house_rules.export_rules, name=f"{keeper}export_rules"),
        path("<slug:slug>/try/", house_rules.try_rules, name=f"{keeper}try_rules"),
        path("<slug:slug>/delete/", house_rules.delete_rules, name=f"{keeper}delete_rules"),
    ]


urlpatterns = [
    path(f"play/{GAME}/rules/", views.rules_at_table, name="rules_at_table"),
    path(f"follow/{GAME}/rules/", views.rules_followed, name="rules_followed"),
    path("rules/", views.rules_index, name="rules"),
    path("rules/<slug:ruleset>/", views.rules_of_game, name="rules_of_game"),
    path("rules/<slug:ruleset>.json", views.rules_json, name="rules_json"),
    path("house-rules/", include(house_rules_urls(""))),
    path("clubs/<slug:club>/house-rules/", include(house_rules_urls("club_"))),
]
