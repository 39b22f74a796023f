"""The WSGI application; `up` starts asgi.py instead."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")

application = get_wsgi_application()
