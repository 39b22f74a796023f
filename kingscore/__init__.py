"""The project: wiring only, no logic."""

import gc

# Imported here so that `current_app` is ours wherever Django is set up, in the web server too.
from kingscore.celery import app as celery_app

__all__ = ["celery_app"]

# Few objects of a page are garbage in circles: looking for them after every 700 takes a twentieth
# of its time. After 10,000 the web server takes 6 MB more.
gc.set_threshold(2_500)
