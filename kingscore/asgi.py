"""The ASGI application: requests arrive and responses leave without holding a thread."""

import gc
import os

from django.conf import settings
from django.urls import get_resolver

from kingscore.buffering import Buffered
from kingscore.wsgi import application as pages

# Needs Django, which was set up for the pages.
from kingscore.observing.metrics import begin_counting  # isort: skip
from kingscore.streams import Streams  # isort: skip

application = Streams(Buffered(pages, threads=settings.WEB_THREADS))

# The web server imports all pages once and forks its processes. Each counts for itself; all share
# this memory, as long as the garbage collector does not write to it.
_ = get_resolver().url_patterns
os.register_at_fork(after_in_child=lambda: begin_counting(group=os.getppid()))
gc.collect()
gc.freeze()
