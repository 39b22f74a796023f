"""The settings of the project, with the bare view beside it."""

from kingscore.settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.bare"]  # noqa: F405
ROOT_URLCONF = "benchmarks.bare.urls"
# A program that measures asks more often than any may.
RATES = REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]  # noqa: F405
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = dict.fromkeys(RATES)  # noqa: F405
