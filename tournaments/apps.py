"""The one app."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Everything Kingscore knows and does."""

    name = "tournaments"
