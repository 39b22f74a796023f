"""The door for WSGI servers; what `up` starts comes in by asgi.py."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")

application = get_wsgi_application()
