import re

from django.urls import reverse

from tests.factories import EVENING
from tests.tournament_builders import opened
from tests.tournament_builders import play as play_round
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import close_round


def play(row, *entries, close=True):
    round_ = opened(row)
    play_round(round_, entries)
    if close:
        close_round(round_.pk, NOBODY, at=EVENING)
    return round_


def page(looker, row, name="standings", *number, **query):
    url = reverse(name, args=[row.event.club.slug, row.slug, *number])
    return looker.get(url, query)


def lines(looker, row, **query):
    rows = re.findall(r'<tr id="e.*?</tr>', page(looker, row, **query).text)
    told = r'rank">(.*?)<.*?<a [^>]*>(.*?)</a>.*points">(.*?)<'
    return [re.search(told, each).groups() for each in rows]
