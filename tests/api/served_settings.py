"""The settings of the project for a program that asks faster than any may."""

from kingscore.settings import *  # noqa: F403

API_LIMITS = {}
