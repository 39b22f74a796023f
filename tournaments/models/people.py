"""Who signs in."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """An account; one of the staff organises: keeps house rules and uses the back office."""
