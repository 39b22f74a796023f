"""The ASGI application: requests arrive and responses leave without holding a thread."""

from django.conf import settings

from kingscore.buffering import Buffered
from kingscore.wsgi import application as pages

application = Buffered(pages, threads=settings.WEB_THREADS)
