"""The door for WSGI servers, gunicorn above all."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")

application = get_wsgi_application()
