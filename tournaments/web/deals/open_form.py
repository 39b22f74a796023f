"""The forms around a deal that is begun before it is counted: named blind, or sealed."""

from dataclasses import dataclass, replace
from functools import cached_property

from tournaments import messages
from tournaments.engine.entries import Deal, Void
from tournaments.engine.games import Game
from tournaments.engine.rulesets import Contract
from tournaments.services.play.open_deals import before_open_deal
from tournaments.web.deals.entry_form import EntryForm
from tournaments.web.deals.fields import ContractField
from tournaments.web.deals.hand_form import HandForm, form_of_ruleset
from tournaments.web.deals.sheet_view import Symbol, symbol_of

SHORT = 8
"""So many digits of a hash are enough to compare it by eye."""


@dataclass(frozen=True)
class Proof:
    """What proves that a sealed contract was not changed."""

    contract: str
    symbol: Symbol
    sealed: str
    salt: str


@dataclass(frozen=True)
class NamingForm(EntryForm):
    """The contract of the next deal, named before anyone has seen a card."""

    begins = "tournaments/_naming_form.html"

    @property
    def is_sealed(self) -> bool:
        """Whether only the declarer may know the contract."""
        return self.game.ruleset.settings.get("naming") == "sealed"

    @property
    def next_step(self) -> EntryForm | None:
        """The form that counts a deal named without a signal; a sealed one needs the server."""
        if self.is_sealed:
            return None
        return NextCountingForm(self.game, self.players, self.revision, self.holder)

    @property
    def over_quota(self) -> Proof | None:
        """The sealed contract that was just revealed and could not be declared any more."""
        last = self.game.entries[-1] if self.game.entries else None
        if not isinstance(last, Void) or last.reason != "over-quota":
            return None
        return proof_of(last)

    @property
    def why_over_quota(self) -> tuple[str, ...]:
        """Why that contract could not be declared."""
        proof = self.over_quota
        contract = None if proof is None else self.game.ruleset.by_id.get(proof.contract)
        problems = () if contract is None else self.game.check_choice(contract)
        return tuple(messages.explain(problem, self.players) for problem in problems)


@dataclass(frozen=True)
class SealedForm(EntryForm):
    """A deal whose contract is sealed: it can be revealed, and nothing else."""

    begins = "tournaments/_sealed_form.html"

    @property
    def sealed(self) -> str:
        """The hash that was published at the sealing."""
        return str(_open(self.game).details.get("sealed", ""))

    @property
    def sealed_short(self) -> str:
        """Its first digits."""
        return self.sealed[:SHORT]


@dataclass(frozen=True)
class CountingForm(EntryForm):
    """The counts of a deal whose contract was named when it was begun."""

    begins = "tournaments/_counting_form.html"

    @cached_property
    def fixed(self) -> Contract | None:
        """The contract that was named."""
        return self.game.ruleset.contract_named(_open(self.game).contract)

    @cached_property
    def contracts(self) -> tuple[ContractField, ...]:
        """The contracts; of one named with its suit only that suit."""
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
        """The form that names the next deal once this one was counted without a signal."""
        before = before_open_deal(self.game)
        return NextNamingForm(before, self.players, self.revision, self.holder)

    @property
    def proof(self) -> Proof | None:
        """What proves the contract, where it was sealed."""
        return proof_of(_open(self.game))


@dataclass(frozen=True)
class NextCountingForm(EntryForm):
    """The counts of whatever deal is named; the phone fills in what that was."""

    begins = "tournaments/_counting_form.html"
    proof = None


@dataclass(frozen=True)
class NextNamingForm(NamingForm):
    """The naming that follows a deal which is still being played; the phone fills in the rest."""

    @property
    def over_quota(self) -> Proof | None:
        """Nothing: the deal that is being played comes between."""
        return None


def proof_of(entry: Deal | Void) -> Proof | None:
    """What proves the contract of an entry; None where it was not sealed, or is not revealed."""
    salt = entry.details.get("salt")
    if entry.contract is None or salt is None:
        return None
    return Proof(entry.contract, symbol_of(entry.contract), entry.details["sealed"], salt)


def form_at_table(game: Game) -> type[EntryForm] | type[HandForm]:
    """The form that a table is shown as its game stands."""
    if game.open_deal is not None:
        return SealedForm if game.open_deal.contract is None else CountingForm
    if "naming" in game.ruleset.settings:
        return NamingForm
    return form_of_ruleset(game.ruleset)


def _open(game: Game) -> Deal:
    assert game.open_deal is not None
    return game.open_deal
