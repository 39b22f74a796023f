"""Preview of a list of entrants: the players its names mean, and the problems of each line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from tournaments.models import Player, Tournament
from tournaments.models.people import fold_name
from tournaments.queries.tournaments.state import rules_of_tournament, settings_of
from tournaments.services.base.refusals import Fault, Refused
from tournaments.services.people.contacts import without_contacts
from tournaments.services.people.players import NoName, clean_name


class NotAlone(Fault, code="not-alone", where="partner"):
    sentence = _("Everybody plays alone here: one name on each line.")


class NoPartner(Fault, code="no-partner", where="partner"):
    sentence = _("The partner is missing: pairs play here.")


class NoLabel(Refused, code="no-label", status=422, in_lists=True):
    sentence = _("A team or a club has letters, and 80 of them at most.")


class NamedTwice(Fault, code="named-twice"):
    sentence = _("%(name)s is in the list twice.")

    def __init__(self, name: str, first: int, where: str) -> None:
        super().__init__({"name": name}, {"name": name, "first": first}, where=where)


class EnteredAlready(Fault, code="entered-already"):
    sentence = _("%(name)s takes part already, as number %(number)s.")

    def __init__(self, player: Player, number: int, where: str) -> None:
        details = {"name": player.shown_name, "number": number}
        super().__init__(details, details, where=where)


class UnknownSection(Refused, code="unknown-section", status=422, in_lists=True):
    sentence = _("This tournament has no such section.")

    def __init__(self, section: str) -> None:
        super().__init__(data={"section": section}, where="section")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entrant in the input: names of a player or a pair, with team, club and section."""

    name: str
    partner: str = ""
    team: str = ""
    represents: str = ""
    house: bool = False
    section: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of an entry: players of the club and names of new ones, or problems."""

    players: tuple[Player | str, ...] = ()
    team: str = ""
    represents: str = ""
    problem: Refused | None = None


def preview_entries(tournament: Tournament, entries: Sequence[Entry]) -> list[Preview]:
    """Preview each entry, in order (6 queries, however many entries).

    Teams and clubs that differ only in case are one, in the first spelling.
    """
    previews = _EntryPreviews(tournament, entries)
    return [previews.preview_entries(line, entry) for line, entry in enumerate(entries)]


def clean_label(text: str, where: str = "") -> str:
    """Return the name of a team or club as stored; empty for none.

    Raises:
        NoLabel: the text is not a valid name, or only a number or an address.
    """
    if not text.strip():
        return ""
    if not without_contacts(text):
        raise NoLabel(where=where)
    try:
        return clean_name(text)
    except NoName as error:
        raise NoLabel(where=where) from error


def spellings(tournament: Tournament, field: str) -> dict[str, str]:
    """Map the folded teams (or clubs, by `field`) of a tournament to their spelling."""
    labels = tournament.entrants.exclude(**{field: ""}).order_by("-number")
    return {fold_name(label): label for label in labels.values_list(field, flat=True)}


def is_for_pairs(tournament: Tournament) -> bool:
    """Return whether the entrants are pairs."""
    return rules_of_tournament(tournament).seats_in_a_side == 2


class _EntryPreviews:
    """The state the lines of one list are checked against; it grows with each line."""

    def __init__(self, tournament: Tournament, entries: Sequence[Entry]) -> None:
        self.pairs = is_for_pairs(tournament)
        self.sections = settings_of(tournament).section_names
        self.known = _known(tournament, entries)
        self.taken = _numbers_by_player(tournament)
        self.teams = spellings(tournament, "team")
        self.clubs = spellings(tournament, "represents")
        self.named: dict[int | str, int] = {}

    def preview_entries(self, line: int, entry: Entry) -> Preview:
        try:
            players = self._players(entry)
            for where, player in zip(("name", "partner"), players, strict=False):
                self._seat(player, line, where)
            team = _spelled(self.teams, entry.team, "team")
            represents = _spelled(self.clubs, entry.represents, "represents")
            if entry.section and entry.section not in self.sections:
                raise UnknownSection(entry.section)
        except Refused as problem:
            return Preview(problem=problem)
        return Preview(players, team, represents)

    def _players(self, entry: Entry) -> tuple[Player | str, ...]:
        if not entry.name.strip():
            raise NoName(where="name")
        if self.pairs != bool(entry.partner.strip()):
            raise NoPartner if self.pairs else NotAlone
        cleaned = [clean_name(entry.name, "name")]
        if self.pairs:
            cleaned.append(clean_name(entry.partner, "partner"))
        return tuple(self.known.get(fold_name(name), name) for name in cleaned)

    def _seat(self, player: Player | str, line: int, where: str) -> None:
        key = fold_name(player) if isinstance(player, str) else player.pk
        if not isinstance(player, str) and player.pk in self.taken:
            raise EnteredAlready(player, self.taken[player.pk], where)
        if key in self.named:
            raise NamedTwice(str(player), self.named[key], where)
        self.named[key] = line


def _spelled(seen: dict[str, str], text: str, where: str) -> str:
    label = clean_label(text, where)
    return seen.setdefault(fold_name(label), label) if label else ""


def _known(tournament: Tournament, entries: Sequence[Entry]) -> dict[str, Player]:
    """Return the named players of the club by folded name; for merged ones, the kept player.

    The lookup matches `people.find_player`.
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
    """Map the keys of all participating players, alone or in a pair, to entrant numbers."""
    entrants = tournament.entrants
    partners = entrants.exclude(partner=None).values_list("partner_id", "number")
    return dict([*entrants.values_list("player_id", "number"), *partners])
