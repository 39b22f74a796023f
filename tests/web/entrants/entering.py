"""Entrants of a tournament, for tests of its pages."""

from tests.club_factories import EntrantFactory


def entrant(row, number, name, **fields):
    return EntrantFactory(tournament=row, number=number, player__name=name, **fields)
