"""Take the dot of İ out of stored e-mail addresses, so that their owners can sign in."""

import logging
import unicodedata

from django.db import migrations

DOTLESS = str.maketrans({"İ": "i", "I": "i", "ı": "i"})
logger = logging.getLogger("tournaments.accounts")


def fold(address):
    plain = unicodedata.normalize("NFKC", address).translate(DOTLESS).lower()
    return plain.replace("i\u0307", "i").strip()


def fold_addresses(apps, _schema_editor):
    user_model = apps.get_model("tournaments", "User")
    address_model = apps.get_model("account", "EmailAddress")
    stored = [
        *address_model.objects.values_list("user_id", "email"),
        *user_model.objects.exclude(email="").values_list("pk", "email"),
    ]
    for user, email in stored:
        folded = fold(email)
        if folded == email.lower():
            continue
        others = user_model.objects.filter(email__iexact=folded).exclude(pk=user)
        addresses = address_model.objects.filter(email__iexact=folded).exclude(user_id=user)
        if others.exists() or addresses.exists():
            logger.warning(
                "Account %s has an address to which no mail comes, and another account has the"
                " right one. Give it another address in the back office, or delete it.",
                user,
            )
            continue
        if address_model.objects.filter(user_id=user, email=folded).exists():
            address_model.objects.filter(user_id=user, email=email).delete()
        address_model.objects.filter(user_id=user, email=email).update(email=folded)
        user_model.objects.filter(pk=user, email=email).update(email=folded)


class Migration(migrations.Migration):
    dependencies = [
        ("account", "0009_emailaddress_unique_primary_email"),
        ("tournaments", "0049_ratings_by_day"),
    ]
    operations = [migrations.RunPython(fold_addresses, migrations.RunPython.noop, elidable=True)]
