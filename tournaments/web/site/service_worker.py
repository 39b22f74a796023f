"""The service worker, which keeps this phone's tables available without a signal."""

from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@never_cache
@require_safe
def service_worker(request: HttpRequest) -> FileResponse:
    """Return the script, from the root: a worker controls only addresses below its own."""
    found = finders.find("sw.js")
    if not isinstance(found, str):
        raise Http404
    return FileResponse(Path(found).open("rb"), content_type="text/javascript; charset=utf-8")
