"""Addresses of the rules."""

from django.urls import path

from tournaments.api.rulesets import views
from tournaments.api.views import Router

router = Router()
router.register("rulesets", views.RulesetViewSet, "ruleset")
router.register("house-rules", views.HouseRulesViewSet, "house-rules")
router.register("clubs/<slug:club>/house-rules", views.HouseRulesViewSet, "club-house-rules")

urlpatterns = [
    *router.urls,
    path("describe/", views.DescribeView.as_view(), name="describe"),
    path("schemas/", views.SchemasView.as_view(), name="schemas"),
    path("schemas/<str:file>", views.SchemaView.as_view(), name="schema"),
]
