"""Browsers of the directors of a tournament, for tests."""

from django.urls import reverse

from tournaments.models import Tournament


class Directed:
    """A tournament, and a director's browser at it."""

    def __init__(self, browser, row):
        self.browser, self.row = browser, row
        browser.become("director", row.event.club)

    def url(self, name, *number):
        return reverse(name, args=[self.row.event.club.slug, self.row.slug, *number])

    def post(self, name, *number, **data):
        return self.browser.post(self.url(name, *number), data, follow=True)

    def get(self, name, *number, **query):
        return self.browser.get(self.url(name, *number), query)

    @property
    def seating(self):
        return self.row.event.rounds.get(number=1).seating

    @property
    def revision(self):
        return Tournament.objects.get(pk=self.row.pk).revision
