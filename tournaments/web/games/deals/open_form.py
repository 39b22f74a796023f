"""Forms of a deal that begins before it is counted: named blind, or sealed."""

from dataclasses import dataclass, replace
from functools import cached_property

from tournaments.engine.play.games import Game
from tournaments.engine.rules.entries import Deal, Void
from tournaments.engine.rules.rulesets import Contract
from tournaments.texts import messages
from tournaments.web.games.deals.entry_form import EntryForm
from tournaments.web.games.deals.fields import ContractField
from tournaments.web.games.deals.sheet_view import Symbol, symbol_of

SHORT = 8
"""The number of digits of a hash to compare by eye."""


@dataclass(frozen=True)
class Proof:
    """The proof that a sealed contract was not changed."""

    contract: str
    symbol: Symbol
    sealed: str
    salt: str


@dataclass(frozen=True)
class NamingForm(EntryForm):
    """The contract of the next deal, named before anyone has seen a card."""

    begins = "tournaments/games/deals/_naming_form.html"

    @property
    def is_sealed(self) -> bool:
        """Whether only the declarer may know the contract."""
        return self.game.ruleset.settings.get("naming") == "sealed"

    @property
    def next_step(self) -> EntryForm | None:
        """The form to count a deal named without a signal; a sealed one needs the server."""
        if self.is_sealed:
            return None
        return NextCountingForm(self.game, self.players, self.revision, self.holder)

    @property
    def over_quota(self) -> Proof | None:
        """The contract just revealed that was no longer available."""
        last = self.game.entries[-1] if self.game.entries else None
        if not isinstance(last, Void) or last.reason != "over-quota":
            return None
        return proof_of(last)

    @property
    def why_over_quota(self) -> tuple[str, ...]:
        """The reasons why that contract was no longer available."""
        proof = self.over_quota
        contract = None if proof is None else self.game.ruleset.by_id.get(proof.contract)
        problems = () if contract is None else self.game.check_choice(contract)
        return tuple(messages.explain(problem, self.players) for problem in problems)


@dataclass(frozen=True)
class SealedForm(EntryForm):
    """A deal with a sealed contract, which can only be revealed."""

    begins = "tournaments/games/deals/_sealed_form.html"

    @property
    def sealed(self) -> str:
        return str(_open(self.game).details.get("sealed", ""))

    @property
    def sealed_short(self) -> str:
        return self.sealed[:SHORT]


@dataclass(frozen=True)
class CountingForm(EntryForm):
    """The counts of a deal whose contract was named at its start."""

    begins = "tournaments/games/deals/_counting_form.html"

    @cached_property
    def fixed(self) -> Contract | None:
        return self.game.ruleset.contract_named(_open(self.game).contract)

    @cached_property
    def contracts(self) -> tuple[ContractField, ...]:
        """The contracts; for one named with its suit, only that suit."""
        named = _open(self.game).details.get("trump")
        if named is None:
            return super().contracts
        return tuple(
            replace(
                field,
                suits=tuple(replace(s, checked=True) for s in field.suits if s.id == named),
            )
            for field in super().contracts
        )

    @property
    def next_step(self) -> EntryForm:
        """The form to name the next deal after counting this one without a signal."""
        before = self.game.without_open_deal()
        return NextNamingForm(before, self.players, self.revision, self.holder)

    @property
    def proof(self) -> Proof | None:
        """The proof of the contract, if it was sealed."""
        return proof_of(_open(self.game))


@dataclass(frozen=True)
class NextCountingForm(EntryForm):
    """The counts of the next named deal; the phone fills in its contract."""

    begins = "tournaments/games/deals/_counting_form.html"
    proof = None


@dataclass(frozen=True)
class NextNamingForm(NamingForm):
    """The naming after a deal in play; the phone fills in the rest."""

    @property
    def over_quota(self) -> Proof | None:
        """None: the deal in play comes first."""
        return None


def proof_of(entry: Deal | Void) -> Proof | None:
    """Return the proof of a contract; None if it was not sealed, or is not revealed."""
    salt = entry.details.get("salt")
    if entry.contract is None or salt is None:
        return None
    return Proof(entry.contract, symbol_of(entry.contract), entry.details["sealed"], salt)


def _open(game: Game) -> Deal:
    assert game.open_deal is not None
    return game.open_deal
