"""The index: the addresses that lead to all others."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.views import Resource

BEGINNINGS = {
    "docs": "api_reference",
    "openapi": "api:openapi",
    "problems": "api_problems",
    "me": "api:me",
    "clubs": "api:clubs",
    "rulesets": "api:rulesets",
    "games": "api:games",
    "changes": "api:changes",
}


class IndexSerializer(serializers.Serializer[Any]):
    """Addresses to begin with, each as a path: the first three are for people and tools."""

    docs = serializers.CharField()
    openapi = serializers.CharField()
    problems = serializers.CharField()
    me = serializers.CharField()
    clubs = serializers.CharField()
    rulesets = serializers.CharField()
    games = serializers.CharField()
    changes = serializers.CharField()


class Index(Resource):
    @extend_schema("index_read", responses=IndexSerializer)
    def get(self, request: Request) -> Response:
        """The first page of the reference."""
        return self.shown(IndexSerializer, {name: reverse(to) for name, to in BEGINNINGS.items()})
