from django.test import Client

from tests.club_factories import MemberFactory


def member_of(club, role="member"):
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(MemberFactory(club=club, role=role).user)
    return browser
