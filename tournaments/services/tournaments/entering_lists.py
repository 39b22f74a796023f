"""What a list of entrants would become: whom its names mean, and what is wrong with each line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tournaments.models import Player, Tournament
from tournaments.models.people import fold_name
from tournaments.queries.tournaments import rules_of_tournament
from tournaments.services.people.players import NoName, clean_name


class NotAlone(Exception):
    """A pair of one, or a partner where each plays alone."""


class NoLabel(Exception):
    """A team or club without a letter, or with too many."""


class NamedTwice(Exception):
    """`name` stands on an earlier line, `line` from 0, or twice on its own."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        super().__init__(f"{name!r} stands on line {line} already")


class EnteredAlready(Exception):
    """`player` takes part already, as entrant `number`."""

    def __init__(self, player: Player, number: int) -> None:
        self.player, self.number = player, number
        super().__init__(f"{player} takes part already as {number}")


REFUSED = (NoName, NoLabel, NotAlone, NamedTwice, EnteredAlready)
"""Why a line of a list can be refused."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is said of an entrant: the names of a player, or of a pair, and what they stand for."""

    name: str
    partner: str = ""
    team: str = ""
    represents: str = ""
    house: bool = False


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What an entry becomes: players of the club, and the names of new ones; or what is wrong."""

    players: tuple[Player | str, ...] = ()
    team: str = ""
    represents: str = ""
    problem: Exception | None = None


def foresee(tournament: Tournament, entries: Sequence[Entry]) -> list[Foreseen]:
    """What each entry becomes, in their order (6 queries, however many).

    Teams and clubs that differ only in case are one, spelled as the first of them was.
    """
    foreseeing = _Foreseeing(tournament, entries)
    return [foreseeing.foresee(line, entry) for line, entry in enumerate(entries)]


def clean_label(text: str) -> str:
    """The name of a team or club as it is stored; empty for none.

    Raises:
        NoLabel: it is none.
    """
    if not text.strip():
        return ""
    try:
        return clean_name(text)
    except NoName as error:
        raise NoLabel from error


def spellings(tournament: Tournament, field: str) -> dict[str, str]:
    """How the teams (or clubs, by the `field`) of a tournament are spelled, by what they are."""
    labels = tournament.entrants.exclude(**{field: ""}).order_by("-number")
    return {fold_name(label): label for label in labels.values_list(field, flat=True)}


def is_for_pairs(tournament: Tournament) -> bool:
    """Whether its entrants are pairs."""
    return rules_of_tournament(tournament).seats_in_a_side == 2


class _Foreseeing:
    """What the lines of one list are held against; it grows with each line."""

    def __init__(self, tournament: Tournament, entries: Sequence[Entry]) -> None:
        self.pairs = is_for_pairs(tournament)
        self.known = _known(tournament, entries)
        self.taken = _numbers_by_player(tournament)
        self.teams = spellings(tournament, "team")
        self.clubs = spellings(tournament, "represents")
        self.named: dict[int | str, int] = {}

    def foresee(self, line: int, entry: Entry) -> Foreseen:
        try:
            players = self._players(entry)
            for player in players:
                self._seat(player, line)
            team = _spelled(self.teams, entry.team)
            represents = _spelled(self.clubs, entry.represents)
        except REFUSED as problem:
            return Foreseen(problem=problem)
        return Foreseen(players, team, represents)

    def _players(self, entry: Entry) -> tuple[Player | str, ...]:
        if not entry.name.strip():
            raise NoName
        if self.pairs != bool(entry.partner.strip()):
            raise NotAlone
        names = [entry.name, entry.partner] if self.pairs else [entry.name]
        cleaned = [clean_name(name) for name in names]
        return tuple(self.known.get(fold_name(name), name) for name in cleaned)

    def _seat(self, player: Player | str, line: int) -> None:
        key = fold_name(player) if isinstance(player, str) else player.pk
        if not isinstance(player, str) and player.pk in self.taken:
            raise EnteredAlready(player, self.taken[player.pk])
        if key in self.named:
            raise NamedTwice(str(player), self.named[key])
        self.named[key] = line


def _spelled(seen: dict[str, str], text: str) -> str:
    label = clean_label(text)
    return seen.setdefault(fold_name(label), label) if label else ""


def _known(tournament: Tournament, entries: Sequence[Entry]) -> dict[str, Player]:
    """The players of the club who are named, by their folded names; of merged ones, who was kept.

    As `people.find_player` finds one.
    """
    keys = set(_folded_names(entries))
    rows = Player.objects.filter(club=tournament.event.club, removed_at=None, name_key__in=keys)
    found = {row.name_key: row for row in rows.select_related("merged_into")}
    for key, row in found.items():
        player = row
        while player.merged_into is not None:
            player = player.merged_into
        found[key] = player
    return found


def _folded_names(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        for name in (entry.name, entry.partner):
            try:
                yield fold_name(clean_name(name))
            except NoName:
                continue


def _numbers_by_player(tournament: Tournament) -> dict[int, int]:
    """The numbers of all who take part, alone or in a pair, by the keys of the players."""
    entrants = tournament.entrants
    partners = entrants.exclude(partner=None).values_list("partner_id", "number")
    return dict([*entrants.values_list("player_id", "number"), *partners])
