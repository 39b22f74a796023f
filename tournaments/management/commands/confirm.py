"""Take an e-mail address as confirmed, for accounts on a server that sends no mail."""

from argparse import ArgumentParser
from typing import Any

from allauth.account.models import EmailAddress
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from tournaments.models import User
from tournaments.models.people import fold_email


class Command(BaseCommand):
    """`manage.py confirm EMAIL`."""

    help = "Confirm the e-mail address of an account, as the code of a mail would."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        email = fold_email(options["email"])
        user = User.objects.filter(email__iexact=email).first()
        if user is None:
            raise CommandError(f"No account has the address {email}.")
        address, _ = EmailAddress.objects.get_or_create(user=user, email=email)
        if EmailAddress.objects.filter(email=email, verified=True).exclude(user=user).exists():
            raise CommandError(f"Another account has confirmed the address {email}.")
        address.verified = True
        address.save()
        address.set_as_primary()
        self.stdout.write(f"{email} is confirmed.")
