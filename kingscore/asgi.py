"""The ASGI application: requests arrive and responses leave without holding a thread."""

from django.conf import settings

from kingscore.buffering import Buffered
from kingscore.wsgi import application as pages

# Needs Django, which was set up for the pages.
from kingscore.streams import Streams  # isort: skip

application = Streams(Buffered(pages, threads=settings.WEB_THREADS))
