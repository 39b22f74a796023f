import re
import time
from types import SimpleNamespace

from allauth.account.internal.flows import code_verification
from django.core import mail
from django.urls import reverse

from tournaments.models import User

AYSE, PASSWORD = "ayse@ornek.org", "sepet-havlu-33"
FACTOR = reverse("office_factor")
SIGN_IN, SIGN_UP = reverse("account_login"), reverse("account_signup")
CODE, PROOF = reverse("account_confirm_login_code"), reverse("account_email_verification_sent")


def last_code():
    return re.search(r"^\d{4}-\d{4}$", mail.outbox[-1].body, re.MULTILINE)[0]


def takes_code(client, page, monkeypatch, after):
    clock = SimpleNamespace(time=lambda: time.time() + after)
    with monkeypatch.context() as patch:
        patch.setattr(code_verification, "time", clock)
        return 'name="code"' in client.get(page, follow=True).text


def signed_in(client):
    return User.objects.filter(pk=client.session.get("_auth_user_id")).first()


def forget_proofs(client):
    session = client.session
    session["signed_in_at"] = 0
    session["account_authentication_methods"] = []
    session.save()
