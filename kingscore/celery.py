"""The background worker."""

import os

from celery import Celery
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")

# Gives the embedded broker the address folder://localhost beside kombu's redis:// and memory://.
TRANSPORT_ALIASES["folder"] = "kingscore.broker:Transport"

app = Celery("kingscore")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_logging_of_the_settings(**_: object) -> None:
    """Keep Celery from replacing the logging that hides the addresses of tables."""
