from django.test import Client

from tests.club_factories import MemberFactory


def member_of(club):
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(MemberFactory(club=club).user)
    return browser
