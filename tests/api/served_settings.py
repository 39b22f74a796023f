"""The settings of the project for a program that asks faster than any may."""

from kingscore.settings import *  # noqa: F403

REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = {"read": None, "write": None}  # noqa: F405
