"""The settings of the project for what is measured in a process of its own, without a server."""

from kingscore.settings import *  # noqa: F403

# Messages to workers go nowhere: the benchmark calls the functions of tasks.
CELERY_BROKER_URL = "memory://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS = {}
# Nothing needs to be collected to be measured.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
