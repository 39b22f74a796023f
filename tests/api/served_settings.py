"""The settings of the project for a program that asks faster than any may."""

from kingscore.settings import *  # noqa: F403

RATES = REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]  # noqa: F405
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = dict.fromkeys(RATES)  # noqa: F405
