"""The sample game in small: what King looks like, for those who have no table on their phone."""

from dataclasses import dataclass
from functools import cache, reduce

from django.utils import translation
from django.utils.translation import pgettext

from tournaments.engine.play.games import Game, play
from tournaments.engine.rules.rulesets import Points
from tournaments.engine.variants import RULESETS
from tournaments.services.games.tables import RULESET, sample_entries
from tournaments.texts.labels import contract_short, suit_of


@dataclass(frozen=True, slots=True)
class SampleDeal:
    """A deal, with the totals after it and whether each player has declared it."""

    contract: str
    suit: str
    red: bool
    totals: tuple[tuple[Points, bool], ...]


@dataclass(frozen=True, slots=True)
class SampleSheet:
    names: tuple[str, ...]
    deals: tuple[SampleDeal, ...]


def sample_names() -> list[str]:
    # Translators: four names usual among card players of the language, separated by commas.
    return pgettext("players of the sample game", "Alice, Ben, Clara, David").split(", ")


@cache
def sample_sheet(language: str) -> SampleSheet:
    """Return the sheet of the sample game in a language."""
    game = reduce(play, sample_entries(), Game(RULESETS[RULESET]))
    with translation.override(language):
        return SampleSheet(tuple(sample_names()), tuple(_deals(game)))


def _deals(game: Game) -> list[SampleDeal]:
    deals = []
    for played, row in zip(game.deals, game.rows, strict=True):
        trump = played.deal.details.get("trump")
        totals = tuple((total, seat == played.declarer) for seat, total in enumerate(row.totals))
        name = contract_short(played.contract.id)
        deals.append(SampleDeal(name, suit_of(trump), trump in ("hearts", "diamonds"), totals))
    return deals
