"""The ways into an account, and who came in."""

import re

from django.core import mail
from django.urls import reverse

from tournaments.models import User

AYSE, PASSWORD = "ayse@ornek.org", "sepet-havlu-33"
FACTOR = reverse("office_factor")
SIGN_IN, SIGN_UP = reverse("account_login"), reverse("account_signup")
CODE, PROOF = reverse("account_confirm_login_code"), reverse("account_email_verification_sent")


def last_code():
    return re.search(r"^\d{4}-\d{4}$", mail.outbox[-1].body, re.MULTILINE)[0]


def signed_in(client):
    return User.objects.filter(pk=client.session.get("_auth_user_id")).first()
