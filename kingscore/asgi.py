"""The ASGI application: requests arrive and responses leave without holding a thread."""

import gc

from django.conf import settings
from django.urls import get_resolver

from kingscore.wsgi import application as pages

# Needs Django, which was set up for the pages.
from kingscore.streams import Buffered, Streams  # isort: skip

application = Streams(Buffered(pages, threads=settings.WEB_THREADS))

# The web server imports all pages once and forks its processes, which share this memory as long as
# the garbage collector does not write to it.
_ = get_resolver().url_patterns
gc.collect()
gc.freeze()
