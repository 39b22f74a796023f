"""A sentence for each engine code, translated."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.fields import DEAL
from tournaments.engine.rules.rulesets import Code, Problem
from tournaments.texts.labels import (
    EXPECTED,
    FIELDS,
    Text,
    contract_name,
    kind_name,
    points_text,
    unit_name,
)

SENTENCES: Mapping[Code, Text] = {
    Code.BAD_JSON: _("This is no JSON: %(error)s"),
    Code.UNKNOWN_FORMAT: _("Unknown format; %(expected)s is expected."),
    Code.UNKNOWN_RULESET: _("There is no ruleset “%(ruleset)s”."),
    Code.UNKNOWN_OPTION: _("The option “%(option)s” cannot be chosen like this here."),
    Code.MISSING_FIELD: _("%(field)s: this is required."),
    Code.UNEXPECTED_FIELD: _("%(field)s: this does not belong here."),
    Code.WRONG_TYPE: _("This is not what belongs here; expected: %(expected)s."),
    Code.WRONG_PLAYERS: _("There must be %(expected)s players with different names."),
    Code.UNKNOWN_CONTRACT: _("There is no contract “%(contract)s” in this game."),
    Code.WRONG_SEATS: _("%(expected)s numbers are needed, %(got)s written."),
    Code.BAD_SEAT: _("There is no such seat at this table."),
    Code.NEGATIVE_COUNT: _("%(unit)s: a number below 0 is not possible."),
    Code.COUNT_TOO_LARGE: _("%(unit)s: at most %(most)s, %(got)s written."),
    Code.WRONG_TOTAL: _("%(unit)s: must be %(expected)s in all, %(got)s written."),
    Code.INCONSISTENT_COUNTS: _("These numbers do not agree: %(why)s."),
    Code.WRONG_DECLARER: _("It is %(expected_player)s’s turn to declare, not %(got_player)s’s."),
    Code.OUT_OF_ORDER: _("%(first)s comes before %(contract)s."),
    Code.CONTRACT_USED_UP: _("%(contract)s has been played %(quota)s times already."),
    Code.PLAYER_QUOTA_USED: _("%(player)s has used every %(kind)s (%(quota)s)."),
    Code.MUST_BE_VOID: _("One queen each: this deal is played again."),
    Code.VOID_NOT_ALLOWED: _("This deal cannot be played again for that reason."),
    Code.REDEAL_NOT_ALLOWED: _("New cards cannot be asked for here."),
    Code.BAD_KING: _("This is no King: %(why)s."),
    Code.BAD_TRUMP: _("This cannot be trump here."),
    Code.BAD_SALE: _("This sale is not possible: %(why)s."),
    Code.BAD_PARTNER: _("The partner is one of the other players."),
    Code.BAD_OFFER: _("This offer is not possible: %(why)s."),
    Code.BAD_DOMINO: _("Domino cannot end like this: %(why)s."),
    Code.BAD_DOUBLE: _("These doubles are not possible: %(why)s."),
    Code.BAD_EUCHRE: _("Only one of the other side can defend alone."),
    Code.BAD_KRAPET: _("Whoever wins has no card left, and everyone else at least one."),
    Code.BAD_SEAL: _("The seal does not hold: %(why)s."),
    Code.BAD_ADJUSTMENT: _("An adjustment needs points other than 0 and a reason."),
    Code.BAD_SUM: _("The totals add up to %(got)s; it must be %(sum)s."),
    Code.BELOW_TARGET: _("Nobody has reached %(target)s points yet."),
    Code.OPEN_DEAL: _("The deal before is not finished yet."),
    Code.GAME_OVER: _("The game is over."),
    Code.TOO_MANY_ENTRIES: _("The sheet is full: this game takes at most %(most)s entries."),
    Code.TOO_MANY_REVISIONS: _("Too many changes: a sheet of this game takes at most %(most)s."),
    Code.BAD_RULESET: _("This ruleset cannot be played: %(why)s."),
    Code.ODD_TABLE: _("A table has %(expected)s players, not %(got)s."),
    Code.TOO_FEW_ENTRANTS: _("At least %(expected)s players are needed; there are %(got)s."),
    Code.DUPLICATE_ENTRANT: _("“%(entrant)s” is listed twice."),
    Code.UNKNOWN_ENTRANT: _("“%(entrant)s” is not among those who are to be seated."),
    Code.TOO_LARGE: _(
        "The document is too large to verify here: “manage.py verify --work” does it."
    ),
    Code.IMPOSSIBLE_FIXED: _("Those who are to share a table do not fit the tables there are."),
}

MISSING: Mapping[str, Text] = {
    **{name: _(field.missing) for name, field in DEAL.items() if field.missing},
    "seat": _("Choose the player."),
    "points": _("Write the points."),
    "reason": _("Give a reason."),
}
"""The sentences for missing fields that have one of their own."""

WHY: Mapping[str, Text] = {
    "only-in-trump": _("at this table King counts only in trump deals"),
    "ended-early": _("all tricks must have been played"),
    "not-all-units": _("one player or pair must have taken everything"),
    "not-enough": _("that player or pair has too few tricks for King"),
    "not-declared": _("it was not declared before the first lead"),
    "fewest": _("so few tricks cannot hold all these cards, at least %(fewest)s"),
    "within": _("%(unit)s: more than the other numbers allow"),
    "cards": _("so few tricks cannot hold so many cards"),
    "blind": _("nobody sells blind"),
    "own": _("the buyer is another player"),
    "refused": _("a hand that is not played is neither sold nor has a trump"),
    "shares": _("a hand that is not played gives %(each)s tricks each, the dealer %(dealer)s"),
    "refused-tricks": _("only a contract that counts tricks alone can be left unplayed"),
    "price": _("between 1 and %(most)s tricks"),
    "last-one": _("only one contract is left"),
    "not-two-left": _("two contracts that are left are offered"),
    "no-third": _("with two contracts left there is no third choice"),
    "was-offered": _("the third choice is none of the two offered"),
    "not-offered": _("without going third, one of the two offered is taken"),
    "winners": _("exactly one player has no card left"),
    "no-winner": _("at least one player has no card left"),
    "closer": _("who went out can only hold the cards of a partner"),
    "others": _("each of the others still holds a card"),
    "places": _("each place is taken once"),
    "pair": _("two different players double each other"),
    "twice": _("each pair is named once"),
    "by": _("one of the two has doubled"),
    "declarer": _("the declarer only redoubles"),
    "positive": _("in this deal only the declarer is doubled"),
    "duty": _("doubles that %(player)s still owes: %(owed)s; deals left for them: %(deals)s"),
    "no-hash": _("it has no proper form"),
    "no-salt": _("its proof has no proper form"),
    "incomplete": _("seal and proof belong together"),
    "changed": _("another contract was sealed"),
    # House rules.
    "unknown": _("“%(got)s” is not known here"),
    "no-id": _("an id is made of small letters, digits and hyphens, at most %(most)s"),
    "too-long": _("at most %(most)s letters"),
    "out-of-range": _("between %(least)s and %(most)s"),
    "too-many": _("at most %(most)s"),
    "repeated": _("each is named once"),
    "sides": _("two to six seats, each for itself or in equal sides that sit in turn"),
    "not-in-pack": _("a card that the pack does not have"),
    "too-many-tricks": _("the pack has cards for at most %(most)s tricks"),
    "left-over": _("%(cards)s cards are left over, and nobody gets them"),
    "no-talon": _("no card is left over"),
    "no-such-card": _("the pack has no such card: %(unit)s"),
    "no-such-trick": _("a deal has no such trick: %(unit)s"),
    "overlap": _("kings and jacks count as men, too"),
    "needs-pairs": _("this is for pairs"),
    "value": _("this setting cannot be “%(got)s”"),
    "sealed": _("a sealed contract needs its seal and its salt in every deal, and only it does"),
    "no-sinking": _("nobody sinks in this game"),
    "no-king": _("King needs deals in which a contract is named"),
    "option": _("the table cannot choose this"),
    "default": _("what is played by default is none of the choices"),
    "no-default": _("a choice needs a default"),
    "implied": _("what follows from an option has to be a choice, too"),
    "no-contracts": _("there are no contracts"),
    "stage": _("each part of the game needs contracts, each named once"),
    "no-such-kind": _("no contract is of this kind"),
    "one-unit": _("cappotto is for contracts that count one unit"),
    "no-units": _("nothing is counted in such a deal"),
    "one-each": _("a deal that is played again needs the reason for it among the voids"),
    "own-unit": _("such a deal counts this and nothing else: %(unit)s"),
    "no-values": _("nothing in it is worth points"),
    "not-fixed": _("how many of these a deal has is not known beforehand"),
    "all-units": _("it is missing in what can be written down instead"),
    "prizes-instead": _("places are worth their prizes"),
    "prizes": _("it needs %(expected)s prizes"),
    "two-sides": _("this is for two sides"),
    "two-players": _("this is for two players"),
    "named": _("a contract is named where units are counted, and only there"),
    "alone": _("the one contract of every deal is the only one, without limits"),
    "field-of-every-deal": _("this belongs to every deal, not to a contract"),
    "undeclared": _("nobody declares this contract"),
    "no-such-scoring": _("this belongs to another way of scoring"),
    "field-of-a-contract": _("this belongs to a contract, not to every deal"),
    "offered": _("an offer and a third choice belong together"),
    "offered-quota": _("an offer needs contracts that are limited"),
    "offered-sealed": _("what is offered cannot be sealed"),
    "step-and-field": _("what moves points and what is written down for it belong together"),
    "scoring": _("a constant for each side is for contracts that count units"),
    "cappotto": _("a constant for each side and cappotto exclude each other"),
    "step": _("points cannot be moved like this with these sides and contracts"),
    "stages": _("the parts of the game make %(deals)s deals, not %(expected)s"),
    "deals-chosen": _("the table can choose the number of deals only where nothing can run out"),
    "no-end": _("it needs a number of deals or a target"),
    "target-runs-out": _("a game to a target cannot have limited contracts"),
    "passes": _("where hands are passed, contracts cannot be limited"),
    "target": _("nobody can score above zero, so the target is never reached"),
    "order": _("an order of the penalties needs a quota for each of them and no other limits"),
    "ranks.order": _("from the two up to the ace"),
    "suits.order": _("in the order spades, hearts, diamonds, clubs"),
    "penalties_first.stages": _("the parts of the game say already what is played first"),
    "strict": _("someone would have to declare trump before all penalties are played"),
    "runs-out": _(
        "a side that declares %(deals)s times may find only %(contracts)s contracts left"
    ),
}
"""Texts for the `why` of a problem; some depend on the field."""


OWN: Mapping[object, Text] = {
    "tables": _("Tournaments are played at tables of two or four, alone or in two pairs."),
    "bid": _("A bid is for 1 to %(most)s tricks."),
}
"""The sentences of problems with a `why` of their own."""


def explain(problem: Problem, players: Sequence[str] = ()) -> str:
    """Return the problem and its remedy as a sentence; `players` are names in seat order."""
    sentence = SENTENCES[problem.code]
    if problem.code is Code.MISSING_FIELD:
        sentence = MISSING.get(str(problem.params["field"]), sentence)
    sentence = OWN.get(problem.params.get("why"), sentence)
    return str(sentence) % _Words(problem, players)


class _Words(dict[str, object]):
    def __init__(self, problem: Problem, players: Sequence[str]) -> None:
        super().__init__(problem.params)
        params = problem.params
        counted = problem.where.rpartition(".")[2]
        self["unit"] = FIELDS.get(counted) or unit_name(counted)
        if params.get("expected") in EXPECTED:
            self["expected"] = EXPECTED[str(params["expected"])]
        if problem.code is Code.BAD_SUM:
            # Most games have one sum, and some a range of them.
            sums = dict.fromkeys(map(points_text, (params["least"], params["most"])))
            self["sum"], self["got"] = " … ".join(sums), points_text(params["got"])
            return
        for name in ("contract", "first"):
            if name in params:
                # A problem does not say its game; most are of this family.
                self[name] = contract_name(str(params[name]), "turkish-king")
        if "kind" in params:
            self["kind"] = kind_name(str(params["kind"]))
        if "field" in params:
            field = str(params["field"])
            self["field"] = FIELDS.get(field) or unit_name(field)
        for seat, name in (
            ("seat", "player"),
            ("expected", "expected_player"),
            ("got", "got_player"),
        ):
            self[name] = _player(players, params.get(seat))
        if "why" in params:
            why = str(params["why"])
            self["why"] = str(WHY.get(f"{counted}.{why}") or WHY.get(why, why)) % self


def _player(players: Sequence[str], seat: object) -> str:
    if isinstance(seat, int) and 0 <= seat < len(players):
        return players[seat]
    return str(seat)
