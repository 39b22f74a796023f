"""The application of the web server: requests arrive and answers leave without holding a thread."""

from django.conf import settings

from kingscore.buffering import Buffered
from kingscore.wsgi import application as pages

application = Buffered(pages, threads=settings.WEB_THREADS)
