"""The settings of the project without request limits, with bare views."""

from tests.api.served_settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.bare"]  # noqa: F405
ROOT_URLCONF = "benchmarks.bare.urls"
