"""List names of teams, clubs and players that are numbers, telephone numbers or mail addresses."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments.models import Entrant, Player
from tournaments.services.people.players import has_contact


class Command(BaseCommand):
    """`manage.py find_contacts`; it changes nothing."""

    help = (
        "List teams, clubs and players whose names are, or contain, telephone numbers or addresses."
    )

    def handle(self, **_options: Any) -> None:
        """Write a line for each, with the address of its page."""
        entrants = Entrant.objects.exclude(team="", represents="").order_by("pk")
        rows = entrants.values_list(
            "tournament__event__club__slug", "tournament__slug", "number", "team", "represents"
        )
        found = 0
        for club, tournament, number, *labels in rows.iterator():
            for label in labels:
                if has_contact(label):
                    page = f"/clubs/{club}/tournaments/{tournament}/entrants/{number}/"
                    self.stdout.write(f"{page} {label}")
                    found += 1
        players = Player.objects.present().order_by("pk")
        for club, public_id, name in players.values_list(
            "club__slug", "public_id", "name"
        ).iterator():
            if has_contact(name):
                self.stdout.write(f"/clubs/{club}/players/{public_id}/ {name}")
                found += 1
        self.stdout.write(f"{found} found")
