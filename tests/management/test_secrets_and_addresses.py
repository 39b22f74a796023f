from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def rotate(**options):
    call_command("rotate_secret", stdout=(said := StringIO()), **options)
    return said.getvalue()


def test_new_secret_replaces_the_old_or_goes_before_it(tmp_path, settings):
    settings.SECRET_FILE = tmp_path / "secret-key"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "the one now", ["an old one"]

    rotate()
    (new,) = settings.SECRET_FILE.read_text().split("\n")
    assert len(new) == 64
    rotate(keep_old=True)
    newer, *old = settings.SECRET_FILE.read_text().split("\n")
    assert newer != new
    assert old == ["the one now", "an old one"]
    rotate(forget_old=True)
    assert settings.SECRET_FILE.read_text() == "the one now"
    assert settings.SECRET_FILE.stat().st_mode & 0o777 == 0o600


def test_secret_of_the_environment_is_printed(settings):
    settings.SECRET_FILE = None

    said = rotate(keep_old=True)

    assert f"KINGSCORE_OLD_SECRETS={settings.SECRET_KEY}" in said.splitlines()


def test_confirmed_address_is_the_first_of_its_account():
    user = UserFactory(email="owner@club.example")

    call_command("confirm", "Owner@club.example", stdout=StringIO())

    address = EmailAddress.objects.get(user=user)
    assert (address.email, address.verified, address.primary) == (user.email, True, True)
    with pytest.raises(CommandError, match=r"No account has the address nobody@club\.example"):
        call_command("confirm", "nobody@club.example")
