"""Addresses of the house rules, those of the server and those of a club."""

from django.urls import URLPattern, include, path

from tournaments.web.rules import house_rules


def pages_of(keeper: str) -> list[URLPattern]:
    """The same pages for each keeper; `keeper` begins their names."""
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
    path("house-rules/", include(pages_of(""))),
    path("clubs/<slug:club>/house-rules/", include(pages_of("club_"))),
]
