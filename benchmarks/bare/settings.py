"""The settings of the project, with the bare view beside it."""

from kingscore.settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.bare"]  # noqa: F405
ROOT_URLCONF = "benchmarks.bare.urls"
