"""Run the clock of the workers; one is enough."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments.management.programs import beat_words, become


class Command(BaseCommand):
    """The clock of the workers; a second one only makes them check twice."""

    help = "Run the clock only: it tells the workers when to look for what is waiting."
    # `migrate`, which runs before, has run the checks.
    requires_system_checks: list[str] = []

    def handle(self, *_: Any, **options: Any) -> None:
        become(beat_words())
