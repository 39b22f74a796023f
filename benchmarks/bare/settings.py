"""The settings of the project for a program that asks faster than any may, with bare views."""

from tests.api.served_settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.bare"]  # noqa: F405
ROOT_URLCONF = "benchmarks.bare.urls"
