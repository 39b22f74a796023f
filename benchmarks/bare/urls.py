"""The addresses of the project and of the bare view."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.http import require_POST
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    permission_classes,
    throttle_classes,
)
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.bare.models import Line


@require_POST
def insert(request: HttpRequest) -> HttpResponse:
    Line.objects.create(text=request.POST["text"])
    return HttpResponse("stored")


@api_view(["POST"])
@authentication_classes([])
@permission_classes([])
@throttle_classes([])
def insert_by_framework(request: Request) -> Response:
    Line.objects.create(text=request.data["text"])
    return Response({"stored": True}, 201)


urlpatterns = [
    path("bare/", insert),
    path("bare/api/", insert_by_framework),
    path("", include("kingscore.urls")),
]
