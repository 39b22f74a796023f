import pytest
from allauth.account.models import EmailAddress

from tests.factories import UserFactory
from tests.web.accounts.signing_in import AYSE, PASSWORD


@pytest.fixture
def ayse():
    user = UserFactory(username="ayse", email=AYSE, first_name="Ayşe", is_staff=False)
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=AYSE, verified=True, primary=True)
    return user
