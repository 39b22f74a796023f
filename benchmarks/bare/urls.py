"""The addresses of the project, and the bare one beside them."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.http import require_POST

from benchmarks.bare.models import Line


@require_POST
def insert(request: HttpRequest) -> HttpResponse:
    Line.objects.create(text=request.POST["text"])
    return HttpResponse("stored")


urlpatterns = [path("bare/", insert), path("", include("kingscore.urls"))]
