"""The settings of the project, with a data folder that is thrown away after the tests."""

import os
import tempfile

if "KINGSCORE_TEST_DATA" not in os.environ:
    # Processes of pytest-xdist inherit the folder; the one that made it removes it at its end.
    FOLDER = tempfile.TemporaryDirectory(prefix="kingscore-tests-")
    os.environ["KINGSCORE_TEST_DATA"] = FOLDER.name
os.environ["KINGSCORE_DATA"] = os.environ["KINGSCORE_TEST_DATA"]

from kingscore.settings import *  # noqa: F403

TIME_ZONE = "Europe/Istanbul"

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # A power cut may take the database of the tests; servers of their own run as they are.
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous = OFF;"  # noqa: F405

# Slow on purpose where passwords are real.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# What was written a moment ago is looked for.
MARKS_KEPT_SECONDS = 0

# Processes of pytest-xdist share a folder, and must not wait for each other's records, nor count
# each other's requests.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "alone")
COMPUTING_PLACES = DATA / f"computing-{WORKER}"  # noqa: F405
if not DATABASE_URL:  # noqa: F405
    CACHES["throttles"]["LOCATION"] = str(DATA / f"counts-{WORKER}.sqlite3")  # noqa: F405

# A message to the worker goes nowhere: tests call the tasks themselves.
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = {}
# Files come straight from static/: nothing needs to be collected before a test.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

# Where the test client asks.
SITE_ADDRESS = "http://testserver"
