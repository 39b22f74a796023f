"""Why somebody cannot sit where they were put, in words."""

from django.utils.translation import gettext as _

from tournaments.services.people.players import NoName
from tournaments.services.play.seating import (
    NotOfClub,
    SeatsDrawn,
    SitsElsewhere,
    SitsTwice,
)

SEATED = (NoName, NotOfClub, SeatsDrawn, SitsElsewhere, SitsTwice)
"""What is raised where players of a club cannot be seated."""


def seated_sentence(error: Exception) -> str:
    """What is wrong with the names of a club's table."""
    if isinstance(error, SeatsDrawn):
        return _("In a tournament only a director changes who sits here and what is played.")
    if isinstance(error, SitsElsewhere):
        return _("%(name)s already sits at table %(table)s of this round.") % {
            "name": error.player.shown_name,
            "table": error.table,
        }
    if isinstance(error, SitsTwice):
        return _("%(name)s sits here twice.") % {"name": error.player.shown_name}
    if not isinstance(error, NotOfClub):
        return _("A name has letters, and 80 of them at most.")
    sentence = _("The club has no player called %(name)s. A director can add a new player.")
    return sentence % {"name": error.name}
