"""Import the modules of web server and worker for `up`, which forks both from one process.

Django is set up already.
"""

from importlib import import_module

import celery.apps.worker
import celery.concurrency.solo
import uvicorn.server
from django.conf import settings
from django.urls import get_resolver

import kingscore.broker
import kingscore.web_worker
from kingscore.celery import app

__all__ = ["celery", "kingscore", "uvicorn"]

if settings.WEB_PROCESSES > 1:
    for name in ("gunicorn.app.wsgiapp", "gunicorn.arbiter", "kingscore.gunicorn_worker"):
        import_module(name)

# Celery would look for tasks, and for what they need, when the worker starts.
app.finalize()
app.loader.import_default_modules()

# All pages, and their addresses by name.
_ = get_resolver().reverse_dict
