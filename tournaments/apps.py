"""The one app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class TournamentsConfig(AppConfig):
    """The models, pages and API of Kingscore."""

    name = "tournaments"

    def ready(self) -> None:
        # Models can be imported only now. The audit is a view over several tables: while it stands,
        # PostgreSQL would refuse to change their columns.
        from tournaments.models.audit import create_view, drop_before

        pre_migrate.connect(drop_before, sender=self)
        post_migrate.connect(create_view, sender=self)
