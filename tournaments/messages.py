"""A sentence for each engine code, and the words of the games, translated."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.engine.problems import Code, Problem

Text = str | Promise

MINUS = "−"

RULESETS: Mapping[str, tuple[Text, Text]] = {
    "turkish-king": (_("King"), _("20 deals: everyone declares 3 penalties and 2 trumps.")),
    "turkish-king-internet": (
        _("Short King"),
        _("12 deals: everyone declares 2 penalties and 1 trump."),
    ),
    "turkish-king-bloody": (_("Bloody King"), _("20 deals, the dear penalties first.")),
    "rifki": (_("Rıfkı"), _("20 deals without King: the highest score wins.")),
}

CONTRACTS: Mapping[str, tuple[Text, Text, Text]] = {
    # name, short name for a narrow column, symbol
    "no-tricks": (_("No tricks"), pgettext_lazy("short", "Tricks"), "∅"),
    "no-hearts": (_("No hearts"), pgettext_lazy("short", "Hearts"), "♥"),
    "no-men": (_("No men"), pgettext_lazy("short", "Men"), "KJ"),
    "no-queens": (_("No queens"), pgettext_lazy("short", "Queens"), "Q"),
    "heart-king": (_("Rıfkı (king of hearts)"), pgettext_lazy("short", "Rıfkı"), "♥K"),
    "last-two": (_("Last two"), pgettext_lazy("short", "Last 2"), "12·13"),
    "trump": (_("Trump"), pgettext_lazy("short", "Trump"), "+"),
}

SUITS: Mapping[str, tuple[Text, str]] = {
    "spades": (_("spades"), "♠"),
    "hearts": (_("hearts"), "♥"),
    "diamonds": (_("diamonds"), "♦"),
    "clubs": (_("clubs"), "♣"),
}

UNITS: Mapping[str, Text] = {
    "tricks": _("Tricks"),
    "hearts": _("Hearts"),
    "men": _("Kings and jacks"),
    "queens": _("Queens"),
    "heart_king": _("King of hearts"),
    "last_two": _("Last two tricks"),
}

KINDS: Mapping[str, Text] = {"penalty": _("penalty"), "trump": _("trump")}

MUST: Mapping[str, Text] = {
    "trump": _("must name trump"),
    "penalty": _("must take a penalty"),
}

BADGES: Mapping[str, tuple[Text, Text]] = {
    "king": (_("King"), _("took all 13 tricks of a deal")),
    "outside-king": (_("Outside King"), _("made King in a trump deal that someone else declared")),
    "dys": (_("Said it, ate it"), _("took more than half of a penalty they named themselves")),
    "ox-eye": (_("Ox-eye"), _("took nothing in both deals of a penalty")),
    "flower": (_("Flower"), _("took no trick in a trump deal")),
    "triple-socket": (_("Triple socket"), _("the only one sunk, with three out")),
    "phone-plug": (_("Phone plug"), _("the only one out, with three sunk")),
    "sold-rifki": (_("Sold Rıfkı"), _("held the king of hearts, and someone else took it")),
    "own-rifki": (_("Own Rıfkı"), _("held the king of hearts and took it")),
}

OPTIONS: Mapping[str, tuple[Text, Text]] = {
    "king": (_("King"), _("What happens when one player takes all 13 tricks.")),
    "king_deals": (_("Deals in which King counts"), _("All deals, or only those with trump.")),
    "out": (_("Who is out"), _("Above zero, or above the mean of the four scores.")),
    "order": (_("Dear penalties first"), _("How strictly the dear penalties come first.")),
}

OPTION_VALUES: Mapping[tuple[str, Any], Text] = {
    ("king", "ends-game"): _("ends the game"),
    ("king", "declared"): _("must be declared before the first lead"),
    ("king", "off"): _("does not exist"),
    ("king_deals", "all"): _("all deals"),
    ("king_deals", "trump"): _("only trump deals"),
    ("out", "positive"): _("above zero"),
    ("out", "mean"): _("above the mean"),
    ("order", "advised"): _("as advice"),
    ("order", "ordered"): _("no cheaper penalty before a dearer one"),
    ("order", "strict"): _("in order, and all penalties before any trump"),
}

REASONS: Mapping[tuple[str, str], Text] = {
    ("void", "one-each"): _("one queen each: played again"),
    ("void", "over-quota"): _("declared too often: played again"),
    ("void", "misdeal"): _("misdeal: played again"),
    ("redeal", "no-high-card"): _("no card above 10: new cards"),
    ("redeal", "four-extremes"): _("four aces and kings: new cards"),
    ("redeal", "misdeal"): _("misdeal: new cards"),
    ("stopped", "time"): _("no time left"),
    ("stopped", "agreement"): _("by agreement"),
    ("stopped", "other"): _("for another reason"),
}

SENTENCES: Mapping[Code, Text] = {
    Code.BAD_JSON: _("This is no JSON: %(error)s"),
    Code.UNKNOWN_FORMAT: _("Unknown format; %(expected)s is expected."),
    Code.UNKNOWN_RULESET: _("There is no ruleset “%(ruleset)s”."),
    Code.UNKNOWN_OPTION: _("The option “%(option)s” cannot be chosen like this here."),
    Code.MISSING_FIELD: _("%(field)s: nothing is written here yet."),
    Code.UNEXPECTED_FIELD: _("%(field)s: this does not belong here."),
    Code.WRONG_TYPE: _("This is not what belongs here; expected: %(expected)s."),
    Code.WRONG_PLAYERS: _("There must be %(expected)s players with different names."),
    Code.UNKNOWN_CONTRACT: _("There is no contract “%(contract)s” in this game."),
    Code.WRONG_SEATS: _("%(expected)s numbers are needed, %(got)s written."),
    Code.BAD_SEAT: _("There is no such seat at this table."),
    Code.NEGATIVE_COUNT: _("%(unit)s: a number below 0 cannot be."),
    Code.COUNT_TOO_LARGE: _("%(unit)s: at most %(most)s, %(got)s written."),
    Code.WRONG_TOTAL: _("%(unit)s: must be %(expected)s in all, %(got)s written."),
    Code.INCONSISTENT_COUNTS: _("So few tricks cannot hold all these cards; at least %(fewest)s."),
    Code.WRONG_DECLARER: _("It is %(expected_player)s’s turn to declare, not %(got_player)s’s."),
    Code.OUT_OF_ORDER: _("%(first)s comes before %(contract)s."),
    Code.CONTRACT_USED_UP: _("%(contract)s has been played %(quota)s times already."),
    Code.PLAYER_QUOTA_USED: _("%(player)s has used every %(kind)s (%(quota)s)."),
    Code.MUST_BE_VOID: _("One queen each: this deal is played again."),
    Code.VOID_NOT_ALLOWED: _("This deal cannot be played again for that reason."),
    Code.REDEAL_NOT_ALLOWED: _("New cards cannot be asked for here."),
    Code.BAD_KING: _("This is no King: %(why)s."),
    Code.BAD_TRUMP: _("This cannot be trump here."),
    Code.BAD_ADJUSTMENT: _("An adjustment needs points other than 0 and a reason."),
    Code.OPEN_DEAL: _("The deal before is not finished yet."),
    Code.GAME_OVER: _("The game is over."),
}

WHY_NO_KING: Mapping[str, Text] = {
    "only-in-trump": _("at this table King counts only in trump deals"),
    "ended-early": _("all 13 tricks must have been played"),
    "not-all-units": _("one player must have taken everything"),
    "not-declared": _("it was not declared before the first lead"),
}

EXPECTED: Mapping[str, Text] = {
    "integer": _("a whole number"),
    "string": _("a text"),
    'integer or "p/q"': _("a number"),
    "list of integers": _("whole numbers"),
}

FIELDS: Mapping[str, Text] = {
    "contract": _("Contract"),
    "declarer": _("Declarer"),
    "reason": _("Reason"),
    "points": _("Points"),
    "seat": _("Player"),
    "counts": _("Numbers"),
    "trump": _("Trump suit"),
    "king": _("King"),
    "king_declared_by": _("Declared King"),
    "tricks_played": _("Tricks played"),
    "rifki_holder": _("Holder of the king of hearts"),
}


def explain(problem: Problem, players: Sequence[str] = ()) -> str:
    """What is wrong and what would be right, as a sentence; `players` are names in seat order."""
    return str(SENTENCES[problem.code]) % _Words(problem, players)


class _Words(dict[str, object]):
    """The parameters of a problem in the reader's words."""

    def __init__(self, problem: Problem, players: Sequence[str]) -> None:
        super().__init__(problem.params)
        params = problem.params
        counted = problem.where.rpartition(".")[2]
        self["unit"] = FIELDS.get(counted) or unit_name(counted)
        if params.get("expected") in EXPECTED:
            self["expected"] = EXPECTED[str(params["expected"])]
        for name in ("contract", "first"):
            if name in params:
                self[name] = contract_name(str(params[name]))
        if "kind" in params:
            self["kind"] = kind_name(str(params["kind"]))
        if "why" in params:
            self["why"] = WHY_NO_KING[str(params["why"])]
        if "field" in params:
            field = str(params["field"])
            self["field"] = FIELDS.get(field) or unit_name(field)
        for seat, name in (
            ("seat", "player"),
            ("expected", "expected_player"),
            ("got", "got_player"),
        ):
            self[name] = _player(players, params.get(seat))


def _player(players: Sequence[str], seat: object) -> str:
    if isinstance(seat, int) and 0 <= seat < len(players):
        return players[seat]
    return str(seat)


def points_text(points: object) -> str:
    """Points as a scoresheet shows them: a real minus sign, no plus."""
    return str(points).replace("-", MINUS)


def ruleset_name(ruleset: str) -> str:
    """The name players know a ruleset by."""
    return str(RULESETS[ruleset][0]) if ruleset in RULESETS else ruleset


def ruleset_summary(ruleset: str) -> str:
    """One line that tells a ruleset from the others."""
    return str(RULESETS[ruleset][1]) if ruleset in RULESETS else ""


def contract_name(contract: str) -> str:
    """What a declarer says."""
    return str(CONTRACTS[contract][0]) if contract in CONTRACTS else contract


def contract_short(contract: str) -> str:
    """The name of a contract for a narrow column."""
    return str(CONTRACTS[contract][1]) if contract in CONTRACTS else contract


def contract_symbol(contract: str, trump: object = None) -> str:
    """A few glyphs for a contract; a trump deal shows its suit where it is known."""
    if trump in SUITS:
        return f"{CONTRACTS[contract][2]}{SUITS[str(trump)][1]}"
    return str(CONTRACTS[contract][2]) if contract in CONTRACTS else "?"


def suit_name(suit: str) -> str:
    """The name of a suit."""
    return str(SUITS[suit][0])


def suit_symbol(suit: str) -> str:
    """The symbol of a suit."""
    return SUITS[suit][1]


def unit_name(unit: str) -> str:
    """What is counted."""
    return str(UNITS.get(unit, unit))


def kind_name(kind: str) -> str:
    """Penalty or trump."""
    return str(KINDS.get(kind, kind))


def must_sentence(must: str) -> str:
    """What a declarer with only one kind of contract left has to do."""
    return str(MUST[must])


def badge_name(badge: str) -> str:
    """The name of a badge in the jargon of the game."""
    return str(BADGES[badge][0])


def badge_meaning(badge: str) -> str:
    """What a badge is given for."""
    return str(BADGES[badge][1])


def option_name(setting: str) -> str:
    """What an option decides."""
    return str(OPTIONS[setting][0])


def option_help(setting: str) -> str:
    """An option in a sentence."""
    return str(OPTIONS[setting][1])


def option_value_name(setting: str, value: Any) -> str:
    """One of the choices of an option."""
    return str(OPTION_VALUES.get((setting, value), value))


def reason_name(group: str, reason: str) -> str:
    """Why a deal was void, cards were dealt anew, or a game was stopped."""
    return str(REASONS.get((group, reason), reason))
