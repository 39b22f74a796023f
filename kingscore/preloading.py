"""What web server and worker import, for `up`, which forks both from one process."""

# Sets Django up.
import kingscore.asgi

# isort: split
import celery.apps.worker
import celery.concurrency.solo
import gunicorn.app.wsgiapp
import gunicorn.arbiter

import kingscore.broker
import kingscore.web_worker
import kingscore.worker
from kingscore.celery import app

__all__ = ["celery", "gunicorn", "kingscore"]

# Celery would look for tasks, and for what they need, when the worker starts.
app.finalize()
app.loader.import_default_modules()
