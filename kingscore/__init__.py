"""The project: wiring only, no logic."""

# Imported here so that `current_app` is ours wherever Django is set up, in the web server too.
from kingscore.celery import app as celery_app

__all__ = ["celery_app"]
