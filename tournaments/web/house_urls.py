"""Addresses of the house rules."""

from django.urls import path

from tournaments.web import house_rules

urlpatterns = [
    path("", house_rules.house_rules, name="house_rules"),
    path("new/copy/", house_rules.copy_rules, name="copy_rules"),
    path("new/import/", house_rules.import_rules, name="import_rules"),
    path("<slug:slug>/", house_rules.house_ruleset, name="house_ruleset"),
    path("<slug:slug>/ruleset.json", house_rules.export_rules, name="export_rules"),
    path("<slug:slug>/try/", house_rules.try_rules, name="try_rules"),
    path("<slug:slug>/delete/", house_rules.delete_rules, name="delete_rules"),
]
