"""The project: wiring only, no logic."""

import gc

# Imported here so that `current_app` is ours wherever Django is set up, in the web server too.
from kingscore.celery import app as celery_app

__all__ = ["celery_app"]

# Few objects of a page are garbage in circles. Looking for them after every 700 takes a twentieth
# of a page's time; after every 10,000, half of that.
gc.set_threshold(10_000)
