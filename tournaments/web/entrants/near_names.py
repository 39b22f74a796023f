"""Names in a list of entrants that are near those of players of the club."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tournaments.models import Club
from tournaments.models.people import fold_name, plain_name
from tournaments.services.imports.files import NameAsked, NameBook, names_asked
from tournaments.web.entrants.lists import ListLine


@dataclass(frozen=True, slots=True)
class NearNames:
    """The lines of a list, by the names of the players meant, and the names to ask about."""

    lines: list[ListLine]
    asked: list[NameAsked]

    @property
    def answered(self) -> bool:
        return all(each.chosen for each in self.asked)


def near_names(club: Club, lines: Sequence[ListLine], meant: Mapping[str, str]) -> NearNames:
    """Return a list with the chosen players (1 query).

    Without a choice, a name that differs from one player only by marks means this player, and a
    name that fits several is open.
    """
    named = [name for line in lines for name in (line.entry.name, line.entry.partner) if name]
    asked = [
        replace(each, chosen=meant.get(fold_name(each.name)) or _meant(each))
        for each in names_asked(NameBook(club), named, {})
    ]
    names = {fold_name(each.name): _name(each) for each in asked}

    def chosen(name: str) -> str:
        return names.get(fold_name(name), name)

    return NearNames(
        [
            replace(
                line,
                entry=replace(
                    line.entry, name=chosen(line.entry.name), partner=chosen(line.entry.partner)
                ),
            )
            for line in lines
        ],
        asked,
    )


def _meant(asked: NameAsked) -> str:
    same = [p.public_id for p in asked.like if p.search_key == plain_name(asked.name)]
    return same[0] if len(same) == 1 else asked.chosen


def _name(asked: NameAsked) -> str:
    found = [player.name for player in asked.like if player.public_id == asked.chosen]
    return found[0] if found else asked.name
