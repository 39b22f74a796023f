"""What is refused about players, as problems."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext_lazy as _

from tournaments.api.problems import REFUSALS, Answer, Json, Refused, fault, invalid, refuses
from tournaments.services.people.claims import AlreadyPlays
from tournaments.services.people.merging import (
    WHY_NOT,
    MergedFurther,
    NotOnePerson,
    StillPlaying,
)
from tournaments.services.people.players import NamesRefused, NameTaken, NoName

NO_NAME = _("A name has letters, and 80 of them at most.")

refuses(StillPlaying, "still-playing", _("The player sits in a round that is not closed."))


def _name_taken(error: NameTaken) -> Answer:
    title = _("Another player has this name.")
    return Answer(409, "name-taken", title, more={"player": error.player.public_id})


@contextmanager
def name_placed() -> Iterator[None]:
    """Have what is no name stand at `name`; where games are played it is one of `players`."""
    try:
        yield
    except NoName as error:
        raise Refused(invalid([fault("no-name", "name", NO_NAME)])) from error


def names_refused(names: list[str], error: NamesRefused) -> Answer:
    """Why each name of a list was refused."""
    return invalid(list(_name_faults(names, error)))


def _name_faults(names: list[str], error: NamesRefused) -> Iterator[Json]:
    for number, problem in sorted(error.problems.items()):
        where = f"names.{number}"
        if not isinstance(problem, NameTaken):
            yield fault("no-name", where, NO_NAME)
        elif problem.player.name in [" ".join(name.split()) for name in names[:number]]:
            yield fault("name-twice", where, _("The same name stands further up."))
        else:
            told = {"player": problem.player.public_id}
            yield fault("name-taken", where, _("Another player has this name."), told)


def _not_one(error: NotOnePerson) -> Answer:
    return Answer(409, "not-one-person", WHY_NOT[error.why], more={"why": error.why.value})


def _merged_further(error: MergedFurther) -> Answer:
    title = _("The player was merged into another one: undo that first.")
    return Answer(409, "merged-further", title, more={"merge": error.merge.pk})


def _already_plays(error: AlreadyPlays) -> Answer:
    title = _("The account has a player in this club: a director can merge the two.")
    return Answer(409, "already-plays", title, more={"player": error.player.public_id})


REFUSALS[NameTaken] = _name_taken
REFUSALS[NotOnePerson] = _not_one
REFUSALS[MergedFurther] = _merged_further
REFUSALS[AlreadyPlays] = _already_plays
