"""The one app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class TournamentsConfig(AppConfig):
    """Everything Kingscore knows and does."""

    name = "tournaments"

    def ready(self) -> None:
        # Only now, when it is allowed to import models.
        from tournaments.models.audit import create_view, drop_before

        pre_migrate.connect(drop_before, sender=self)
        post_migrate.connect(create_view, sender=self)
