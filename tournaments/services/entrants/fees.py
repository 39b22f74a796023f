"""Fees of a tournament."""

from datetime import datetime

from django.db import transaction

from tournaments.models import Entrant
from tournaments.services.audit import Actor
from tournaments.services.entrants.registration import lock_entrant
from tournaments.services.tournaments.lifecycle import note, touch


def mark_paid(entrant_pk: int, by: Actor, *, at: datetime, paid: bool) -> None:
    """Note whether an entrant has paid, also after the end. Idempotent."""
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        if entrant.paid != paid:
            Entrant.objects.filter(pk=entrant.pk).update(paid=paid)
            touch(entrant.tournament)
            action = "fee-paid" if paid else "fee-not-paid"
            note(entrant.tournament, action, by, at, after={"entrants": [entrant.key]})
