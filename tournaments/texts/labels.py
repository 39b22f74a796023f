"""Names for what stands on sheets: units, contracts, options, families and rounds."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from babel.numbers import format_decimal
from django.utils.functional import Promise
from django.utils.translation import (
    get_language,
    gettext,
    gettext_lazy,
    ngettext,
    pgettext,
    pgettext_lazy,
)
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.entries import NO_TRUMP, Stake
from tournaments.engine.rules.fields import DEAL
from tournaments.engine.rules.rulesets import Points, Ruleset, number_of
from tournaments.engine.standings import tournament_settings
from tournaments.models import Round, Ruling

Text = str | Promise

Of = ParamSpec("Of")
Named = TypeVar("Named")

MINUS = "−"

PARTS: Mapping[Fraction, str] = {
    Fraction(1, 2): "½",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
    Fraction(1, 4): "¼",
    Fraction(3, 4): "¾",
    Fraction(1, 6): "⅙",
    Fraction(5, 6): "⅚",
    Fraction(1, 5): "⅕",
    Fraction(2, 5): "⅖",
    Fraction(3, 5): "⅗",
    Fraction(4, 5): "⅘",
    Fraction(1, 8): "⅛",
    Fraction(3, 8): "⅜",
    Fraction(5, 8): "⅝",
    Fraction(7, 8): "⅞",
}
"""Fractions with a character of their own; others are written with raised and lowered digits."""

RAISED, LOWERED = (str.maketrans("0123456789", digits) for digits in ("⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"))

RULESETS: Mapping[str, tuple[Text, Text]] = {
    "turkish-king": (_("King"), _("20 deals: everyone declares 3 penalties and 2 trumps.")),
    "turkish-king-internet": (
        _("Short King"),
        _("12 deals: everyone declares 2 penalties and 1 trump."),
    ),
    "turkish-king-bloody": (_("Bloody King"), _("20 deals, the dear penalties first.")),
    "turkish-king-blind": (
        _("Super Bloody King"),
        _("20 deals; the contract is named before the cards are seen."),
    ),
    "turkish-king-sealed": (
        _("Sealed King"),
        _("20 deals; the contract is written down in secret and shown at the end of the deal."),
    ),
    "turkish-king-double": (
        _("Double Penalty"),
        _("All penalties at once in 2 deals, then 8 trump deals."),
    ),
    "turkish-king-partners": (
        _("King for pairs"),
        _("20 deals, two pairs: each pair declares 6 penalties and 4 trumps."),
    ),
    "honeymoon-king": (_("Honeymoon King"), _("For two: trump deals only.")),
    "king-three": (
        _("King for three"),
        _("51 cards, 18 deals: everyone declares 4 penalties and 2 trumps."),
    ),
    "king-five": (
        _("King for five"),
        _("50 cards, 15 deals: everyone declares 2 penalties and 1 trump."),
    ),
    "rifki": (_("Rıfkı"), _("20 deals without King: the highest score wins.")),
    "italian-king": (_("Italian King"), _("13 deals in a fixed order: the highest total wins.")),
    "italian-king-choice": (
        _("Italian King, declared"),
        _("12 deals that the dealers choose, then one without trump."),
    ),
    "italian-king-pirandello": (
        _("Pirandello"),
        _("Italian King with a secret partner in each deal."),
    ),
    "italian-king-pairs": (
        _("Italian King for pairs"),
        _("13 deals in a fixed order, two pairs: the difference counts."),
    ),
    "italian-king-pairs-choice": (
        _("Italian King for pairs, declared"),
        _("13 deals, two pairs: two contracts are offered, the partner takes one or goes third."),
    ),
    "portuguese-king": (_("Portuguese King"), _("Six penalties, then four positive deals.")),
    "portuguese-king-auction": (
        _("Portuguese King with an auction"),
        _("Six penalties, then four deals of which the dealer may sell the choice."),
    ),
    "russian-king": (_("Russian King"), _("32 cards: seven penalties, then the same for points.")),
    "russian-king-three": (
        _("Russian King for three"),
        _("36 cards: six penalties, then the same for points."),
    ),
    "barbu": (_("Barbu"), _("28 deals: each of four declarers names each of seven contracts.")),
    "barbu-doubles": (
        _("Barbu with doubles"),
        _("28 deals: everyone has to double each declarer twice."),
    ),
    "barbu-french": (
        _("French Barbu"),
        _("32 cards, 28 deals: each player names each of seven contracts."),
    ),
    "barbu-french-three": (
        _("French Barbu for three"),
        _("30 cards, 21 deals: each player names each of seven contracts."),
    ),
    "barbu-french-five": (
        _("French Barbu for five"),
        _("30 cards, 35 deals: each player names each of seven contracts."),
    ),
    "krapet": (_("Krapet"), _("For two with a pack each: whoever empties their piles wins.")),
    "euchre": (_("Euchre"), _("Two pairs, five cards each: first to 10 points.")),
    "euchre-two": (_("Euchre for two"), _("Each for themselves: first to 10 points.")),
    "euchre-three": (_("Euchre for three"), _("The maker alone against two: first to 10 points.")),
    "euchre-railroad": (
        _("Railroad Euchre"),
        _("With the joker, laps and slam: first to 10 points."),
    ),
    "bid-euchre": (
        _("Bid Euchre"),
        _("Two pairs, six cards each, tricks are bid: first to 32 points."),
    ),
}

CONTRACTS: Mapping[str, tuple[Text, Text, Text]] = {
    # name, short name for a narrow column, symbol
    "no-tricks": (_("No tricks"), pgettext_lazy("short", "Tricks"), "∅"),
    "no-hearts": (_("No hearts"), pgettext_lazy("short", "Hearts"), "♥"),
    "no-men": (_("No men"), pgettext_lazy("short", "Men"), "KJ"),
    "no-queens": (_("No queens"), pgettext_lazy("short", "Queens"), "Q"),
    "heart-king": (pgettext_lazy("contract", "King of hearts"), pgettext_lazy("short", "♥K"), "♥K"),
    "last-two": (pgettext_lazy("contract", "Last two"), pgettext_lazy("short", "Last 2"), "12·13"),
    "trump": (_("Trump"), pgettext_lazy("short", "Trump"), "+"),
    "all-penalties": (_("All penalties"), pgettext_lazy("short", "All"), "Σ−"),
    "diamond-eight": (
        pgettext_lazy("contract", "Eight of diamonds"),
        pgettext_lazy("short", "♦8"),
        "♦8",
    ),
    "domino": (_("Domino"), pgettext_lazy("short", "Domino"), "1·2·3"),
    "declaration": (_("Declaration"), pgettext_lazy("short", "Decl."), "+"),
    "no-trump": (_("No trump"), pgettext_lazy("short", "NT"), "++"),
    "positive": (_("Positive"), pgettext_lazy("short", "Positive"), "+"),
    "nulos": (_("Nulos"), pgettext_lazy("short", "Nulos"), "−"),
    "no-jacks": (_("No jacks"), pgettext_lazy("short", "Jacks"), "J"),
    "yeralash": (_("Yeralash"), pgettext_lazy("short", "Yeralash"), "Σ−"),
    "take-tricks": (_("Take tricks"), pgettext_lazy("short", "Tricks"), "+1"),
    "take-hearts": (_("Take hearts"), pgettext_lazy("short", "Hearts"), "+♥"),
    "take-men": (_("Take men"), pgettext_lazy("short", "Men"), "+KJ"),
    "take-jacks": (_("Take jacks"), pgettext_lazy("short", "Jacks"), "+J"),
    "take-queens": (_("Take queens"), pgettext_lazy("short", "Queens"), "+Q"),
    "take-last-two": (_("Take the last two"), pgettext_lazy("short", "Last 2"), "+12·13"),
    "take-heart-king": (_("Take the king of hearts"), pgettext_lazy("short", "+♥K"), "+♥K"),
    "take-yeralash": (_("Yeralash for points"), pgettext_lazy("short", "Yeralash"), "Σ+"),
    "last-trick": (_("Last trick"), pgettext_lazy("short", "Last"), "13."),
    "salade": (_("Salade"), pgettext_lazy("short", "Salade"), "Σ−"),
    "reussite": (_("Réussite (domino)"), pgettext_lazy("short", "Domino"), "1·2·3"),
    "krapet": (pgettext_lazy("contract", "Game"), pgettext_lazy("short", "Game"), "K"),
    "euchre": (_("Hand"), pgettext_lazy("short", "Hand"), "E"),
    "bid-euchre": (_("Hand"), pgettext_lazy("short", "Hand"), "E"),
}

ITALIAN_SIGNS = {
    "no-men": "No K J",
    "no-queens": "No Q",
    "diamond-eight": "No 8♦",
    "heart-king": "No K♥",
    "no-hearts": "No ♥",
    "last-two": "No U2",
    "no-tricks": "Mis",
    "domino": "Dom",
    "declaration": "D",
    "no-trump": "SA",
}

OF_FAMILIES: Mapping[str, Mapping[str, tuple[Text, Text, str]]] = {
    "turkish-king": {
        "heart-king": (_("Rıfkı (king of hearts)"), pgettext_lazy("short", "Rıfkı"), "♥K"),
    },
    "italian-king": {
        **{name: (CONTRACTS[name][0], sign, sign) for name, sign in ITALIAN_SIGNS.items()},
        "no-tricks": (pgettext_lazy("Italian King", "No tricks"), "Mis", "Mis"),
    },
}
"""Contracts with other names or signs in one family; the others are as in `CONTRACTS`."""

NUMBERED = ("", "I ", "II ", "III ", "IV ")
"""What stands before the sign of an Italian declaration: which one of the game it is."""

FRENCH = {
    "no-tricks": "Plis",
    "no-hearts": "Cœurs",
    "no-queens": "Dames",
    "heart-king": "Barbu",
    "last-trick": "Dernier",
    "salade": "Salade",
    "reussite": "Réussite",
}
RUSSIAN = {
    "tricks": "Взятки",
    "hearts": "Черви",
    "men": "Мальчики",
    "jacks": "Мальчики",
    "queens": "Девочки",
    "last-two": "Две последние",
    "heart-king": "Кинг",
    "yeralash": "Ералаш",
}
AT_HOME: Mapping[str, tuple[str, Mapping[str, str]]] = {
    **dict.fromkeys(("barbu-french", "barbu-french-three", "barbu-french-five"), ("fr", FRENCH)),
    "portuguese-king": (
        "pt",
        {
            "no-tricks": "Vazas",
            "no-hearts": "Copas",
            "no-queens": "Damas",
            "no-men": "Homens",
            "heart-king": "King",
            "last-two": "Duas últimas",
            "positive": "Positivos",
            "nulos": "Nulos",
        },
    ),
    "russian-king": ("ru", RUSSIAN),
}
"""The language of a game that is none of the pages', and its names; by ruleset or family."""

SUITS: Mapping[str, tuple[Text, Text]] = {
    "spades": (_("spades"), "♠"),
    "hearts": (_("hearts"), "♥"),
    "diamonds": (_("diamonds"), "♦"),
    "clubs": (_("clubs"), "♣"),
    "none": (_("without trump"), pgettext_lazy("sign of a deal without trump", "NT")),
}

VERBS: Mapping[str, Text] = {
    "deals": pgettext_lazy("who does what in a deal", "deals"),
    "cuts": pgettext_lazy("who does what in a deal", "cuts"),
    "names": pgettext_lazy("who does what in a deal", "declares"),
    "buys": pgettext_lazy("who does what in a deal", "buys"),
    "offers": pgettext_lazy("who does what in a deal", "offers"),
    "chooses": pgettext_lazy("who does what in a deal", "chooses"),
    "leads": pgettext_lazy("who does what in a deal", "leads"),
    "starts": pgettext_lazy("who does what in a deal", "starts"),
}

UNITS: Mapping[str, Text] = {
    "tricks": _("Tricks"),
    "hearts": _("Hearts"),
    "men": _("Kings and jacks"),
    "queens": _("Queens"),
    "heart_king": _("King of hearts"),
    "heart_ace": _("Ace of hearts"),
    "diamond_eight": _("Eight of diamonds"),
    "last_two": _("Last two tricks"),
    "twelfth_trick": _("Twelfth trick"),
    "last_trick": _("Last trick"),
    "cards_left": _("Cards left"),
    "places": pgettext_lazy("rank", "Place"),
    "kings": _("Kings"),
    "jacks": _("Jacks"),
    "aces": _("Aces"),
    "spade_king": _("King of spades"),
    "spade_queen": _("Queen of spades"),
    "first_trick": _("First trick"),
    "seventh_trick": _("Seventh trick"),
    "penultimate_trick": _("Last trick but one"),
}

KINDS: Mapping[str, Text] = {
    "penalty": _("penalty"),
    "trump": _("trump"),
    "choice": _("choice"),
    "declaration": _("declaration"),
    "hand": _("hand"),
}

MUST: Mapping[str, Text] = {
    "trump": _("must name trump"),
    "penalty": _("must take a penalty"),
    "choice": _("must choose a penalty or domino"),
    "declaration": _("must make a declaration"),
}

BADGES: Mapping[str, tuple[Text, Text]] = {
    "king": (_("King"), _("took all tricks of a deal")),
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
    "king": (_("King"), _("What happens when one player or pair takes all tricks?")),
    "king_deals": (_("Deals in which King counts"), _("In which deals can King be made?")),
    "king_tricks": (_("Tricks for King"), _("With how many tricks of a trump deal is King made?")),
    "king_in_a_row": (
        _("Tricks in a row for King"),
        _("With how many tricks one after the other in a trump deal is King made? 0: with none."),
    ),
    "order_by": (
        _("Which penalty is dearer"),
        _("Is the dearer penalty that of the whole deal, or of one trick or card?"),
    ),
    "last_two": (_("Last two"), _("Which two tricks count in “Last two”?")),
    "redeal_by": (
        _("Who may ask for new cards"),
        _("Who may ask for new cards with only trumps left to name and no card above 10?"),
    ),
    "adjustment_to": (
        _("Points for a mistake"),
        _("Who gets the points that a player loses for a mistake?"),
    ),
    "out": (_("Who is out"), _("Who is out at the end?")),
    "order": (_("Dear penalties first"), _("Do the dear penalties come first?")),
    "penalties_first": (
        _("First deals are penalties"),
        _("Are the first deals penalties only?"),
    ),
    "begins": (_("Who begins"), _("How do you find out who begins?")),
    "deals": (_("Deals"), _("How many deals do you play? An even number.")),
    "cappotto": (_("Cappotto"), _("What does one player score with all hearts or all tricks?")),
    "domino_winners": (
        _("Who wins Domino"),
        _("Who wins Domino?"),
    ),
    "domino_redeal": (
        _("New cards before Domino"),
        _("May a player with four or more aces and kings ask for new cards?"),
    ),
    "no_trump_declaration": (
        _("Declaration without trump"),
        _("May a declaration be made without a trump suit?"),
    ),
    "blind_declaration": (
        _("Blind declaration"),
        _("May the declarer declare before seeing the cards, so that their tricks count double?"),
    ),
    "sale": (_("Sale"), _("May the dealer sell the declaration for a number of tricks?")),
    "refusal": (
        _("Hand not played"),
        _("May the dealer decline where nobody bids enough? All get a share of the tricks then."),
    ),
    "sale_debt": (
        _("Buyer with too few tricks"),
        _("What do tricks cost that the buyer is missing?"),
    ),
    "doubles_rule": (
        _("Doubling"),
        _("Who may double whom?"),
    ),
    "doubles_duty": (
        _("Doubles of each declarer"),
        _("How often must everyone else double each declarer?"),
    ),
    "stake": (
        _("Stake"),
        _("How much money for each point above or below the mean, or from each who sinks?"),
    ),
    "stake_per": (_("What the stake is for"), _("Whether each point is paid for, or sinking.")),
    "raise_trump": (_("Going higher in trumps"), _("When must a higher trump be played?")),
    "declarations": (
        _("Declarations"),
        _("How many declarations does each player make?"),
    ),
    "scoring": (_("Scoring"), _("What counts: games won, or points for what the loser has left?")),
    "target": (_("Target"), _("At how many points (or games) does the game end?")),
    "deck": (
        _("Cards in the pack"),
        _("How many cards are in the pack? 25 is with the joker; the score is the same."),
    ),
    "euchred_alone": (
        _("Lone maker euchred"),
        _("How many points when a maker who plays alone is euchred?"),
    ),
    "march": (pgettext_lazy("all five tricks", "March"), _("How many points for all five tricks?")),
    "laps": (_("Laps"), _("Does what is over the target count in the next game of a match?")),
    "slam": (_("Slam"), _("Does a game count as two with the opponents at 0?")),
}

OPTION_VALUES: Mapping[tuple[str, Any], Text] = {
    ("king", "ends-game"): _("ends the game"),
    ("king", "declared"): _("must be declared before the first lead"),
    ("king", "off"): _("does not exist"),
    ("king_tricks", 13): _("all 13"),
    ("king_in_a_row", 0): _("none"),
    ("penalties_first", 0): _("no"),
    ("penalties_first", 4): _("the first 4"),
    ("king_deals", "all"): _("all deals"),
    ("king_deals", "trump"): _("only trump deals"),
    ("out", "positive"): _("above zero"),
    ("out", "mean"): _("above the mean"),
    ("order", "advised"): _("as advice"),
    ("order", "ordered"): _("no cheaper penalty before a dearer one"),
    ("order", "strict"): _("in order, and all penalties before any trump"),
    ("cappotto", "none"): _("nothing special"),
    ("cappotto", "plus14"): _("+14, the others −9 each"),
    ("cappotto", "plus13"): _("the same points as a gain, the others 0"),
    ("domino_winners", "one"): _("one player"),
    ("domino_winners", "several"): _("all who go out in the round"),
    ("order_by", "deal-sum"): _("the whole deal"),
    ("order_by", "unit"): _("one trick or card"),
    ("last_two", "last-two"): _("the last two"),
    ("last_two", "seventh-and-last"): _("the seventh and the last"),
    ("redeal_by", "declarer"): _("the declarer"),
    ("redeal_by", "must-trump"): _("everybody who must name trump"),
    ("adjustment_to", "none"): _("to nobody"),
    ("adjustment_to", "others"): _("to the others, in equal parts"),
    ("sale_debt", "double"): _("missing tricks count twice"),
    ("sale_debt", "single"): _("missing tricks count once"),
    ("doubles_rule", "free"): _("whoever likes"),
    ("doubles_rule", "declarer"): _("not the declarer"),
    ("stake_per", "point"): _("each point"),
    ("stake_per", "sinking"): _("each who sinks, once; those who are out share it"),
    ("raise_trump", "none"): _("never"),
    ("raise_trump", "led"): _("where trump is led"),
    ("raise_trump", "ruff"): _("where one trumps over a trump"),
    ("raise_trump", "always"): _("always"),
    ("begins", "two-of-diamonds"): _("whoever holds the two of diamonds"),
    ("begins", "seven-of-diamonds"): _("whoever holds the seven of diamonds"),
    ("begins", "heart-king"): _("to whom the king of hearts falls"),
    ("begins", "lot"): _("drawn by lot"),
    ("begins", "dealer"): _("who deals first"),
    ("declarations", "one-each"): _("one each"),
    ("declarations", "free"): _("free"),
    ("scoring", "win"): _("games won"),
    ("scoring", "points"): _("points"),
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
    ("stopped", "left"): _("a player has left"),
    ("stopped", "other"): _("for another reason"),
    ("adjustment", "imported"): _("total taken over"),
    ("adjustment", "totals"): _("total from paper"),
}

EXPECTED: Mapping[str, Text] = {
    "integer": _("a whole number"),
    "string": _("a text"),
    'integer or "p/q"': _("a number"),
    "list of integers": _("whole numbers"),
    "true or false": _("yes or no"),
    "number": _("a number"),
    "list": _("a list"),
    "object": _("fields with names"),
    "list of contracts": _("contracts"),
    "list of doubled pairs": _("pairs of players"),
}

FIELDS: Mapping[str, Text] = {
    **{name: _(field.label) for name, field in DEAL.items() if field.label},
    "reason": _("Reason"),
    "points": _("Points"),
    "seat": _("Player"),
    "buyer": _("Buyer"),
    "reserve": _("Reserve"),
    "stock": _("Stock"),
    "waste": _("Waste"),
}


STAGES = {
    "final": _("Final"),
    "semi-final": _("Semi-final"),
    "quarter-final": _("Quarter-final"),
    "round-of-16": _("Round of 16"),
}


def in_language(naming: Callable[Of, Named]) -> Callable[Of, Named]:
    """Keep what a function says for the same values in each language: a table asks a hundred times.

    What it returns must be immutable.
    """
    cached = lru_cache(maxsize=2000)(lambda _language, *args, **kwargs: naming(*args, **kwargs))

    @wraps(naming)
    def say(*args: Of.args, **kwargs: Of.kwargs) -> Named:
        return cached(get_language(), *args, **kwargs)  # type: ignore[arg-type] # all hashable

    return say


POINTS: Mapping[str, Text] = {worth: _(name) for worth, name in tournament_settings.POINTS.items()}
"""What a round of a tournament is worth."""


def points_text(points: object) -> str:
    """Return exact points as on a scoresheet: a real minus sign, no plus, −4½ for −9/2."""
    text = str(points)
    number = number_of(text) if "/" in text else None
    if number is None:
        return text.replace("-", MINUS)
    whole, part = divmod(abs(Fraction(number)), 1)
    over, under = str(part.numerator).translate(RAISED), str(part.denominator).translate(LOWERED)
    part_text = PARTS.get(part, f"{over}⁄{under}") if part else ""
    return f"{MINUS if number < 0 else ''}{whole or ''}{part_text}"


def duration_text(seconds: int) -> str:
    """Return a time as people say it: 45 min, 1 h 31 min, 10 days.

    Minutes are rounded up, so that 0 is the end.
    """
    minutes = -(-abs(seconds) // 60)
    sign = MINUS if seconds < 0 and minutes else ""
    days, hours, rest = minutes // 1440, minutes // 60, minutes % 60
    if days:
        return sign + ngettext("%(number)s day", "%(number)s days", days) % {"number": days}
    if not hours:
        return sign + gettext("%(minutes)s min") % {"minutes": rest}
    text = gettext("%(hours)s h %(minutes)s min") if rest else gettext("%(hours)s h")
    return sign + text % {"hours": hours, "minutes": rest}


def ago_text(seconds: int) -> str:
    """Return an age in whole minutes, hours or days."""
    if seconds < 60:
        return gettext("just now")
    return gettext("%(time)s ago") % {"time": duration_text(seconds // 60 * 60)}


def signed_points(points: object) -> str:
    """Return the points of one deal with a sign, unlike the counts beside them."""
    text = points_text(points)
    return text if text.startswith(("0", MINUS)) else f"+{text}"


LONG_WORD = re.compile(r"\w{8,}")
SYLLABLE = re.compile(r"(?<=\w\w)(?=[^\W\daeıioöuü][aeıioöuü]\w)", re.IGNORECASE)


def breakable_name(name: str) -> str:
    """Return a name whose long words may break before a syllable, with a soft hyphen."""
    return LONG_WORD.sub(lambda word: SYLLABLE.sub("\u00ad", word.group()), name)


def stage_name(stage: str) -> str:
    return str(STAGES.get(stage, stage))


def section_name(section: str) -> str:
    return _("Section %(section)s") % {"section": section}


def money_text(amount: Points) -> str:
    """Return a localized amount, to the smallest coin; finer only if needed, as for a stake."""
    exact = Fraction(amount)
    places = next((n for n in range(2, 7) if (exact * 10**n).denominator == 1), None)
    if places is None:
        return points_text(amount)
    coins = (exact * 10**places).numerator
    language = get_language() or "en"
    # By default, decimals have 28 digits.
    with localcontext(prec=len(str(coins)) + places):
        decimal = Decimal(coins).scaleb(-places)
        return format_decimal(decimal, format=f"#,##0.{'0' * places}", locale=language)


TEA = "tea"
"""A thing that has a name in each language; others are as somebody wrote them."""


def thing_name(thing: str) -> str:
    return gettext("tea") if thing == TEA else thing


def amount_text(amount: Points, thing: str) -> str:
    """Return an amount of a thing, or of money without one."""
    if not thing:
        return money_text(amount)
    number = points_text(amount) if amount % 1 in (0, *PARTS) else money_text(amount)
    if thing == TEA:
        teas = ngettext("%(number)s tea", "%(number)s teas", 1 if amount <= 1 else 2)
        return teas % {"number": number}
    return f"{number} {thing}"


STAKES: Mapping[str, tuple[Text, Text]] = {
    "point": (_("For each point"), _("%(amount)s a point")),
    "sinking": (
        _("Who sinks pays each who is out"),
        _("%(amount)s from each who sinks to each who is out"),
    ),
    "pot": (
        _("Who sinks pays once, who is out shares it"),
        _("%(amount)s from each who sinks, shared by those who are out"),
    ),
    "last": (_("The last pays all the others"), _("%(amount)s from the last to each other player")),
    "place": (_("Each pays everybody ahead"), _("%(amount)s to everybody ahead")),
}
"""Who owes the stake of a game: as a choice, and with the amount."""


def stake_text(stake: Stake) -> str:
    return str(STAKES[stake.per][1] % {"amount": amount_text(stake.amount, stake.thing)})


def name_of(ruleset: Ruleset) -> str:
    return ruleset.name or ruleset_name(ruleset.id)


def ruleset_name(ruleset: str) -> str:
    return str(RULESETS[ruleset][0]) if ruleset in RULESETS else ruleset


def ruleset_summary(ruleset: str) -> str:
    return str(RULESETS[ruleset][1]) if ruleset in RULESETS else ""


@in_language
def _labels_of(contract: str, family: str) -> tuple[str, str, str] | None:
    """Return name, short name and sign of a contract; None for one of house rules."""
    label = OF_FAMILIES.get(family, {}).get(contract) or CONTRACTS.get(contract)
    return None if label is None else (str(label[0]), str(label[1]), str(label[2]))


def contract_name(contract: str, family: str = "") -> str:
    label = _labels_of(contract, family)
    return label[0] if label else contract


def contract_title(ruleset: Ruleset, contract: str) -> str:
    """Return the name of a contract in a game: its own for house rules, else that of its id."""
    known = ruleset.by_id.get(contract)
    return (known.name if known else "") or contract_name(contract, ruleset.family)


def contract_short(ruleset: Ruleset, contract: str) -> str:
    """Return a short name for a narrow column; a contract of house rules has only its name."""
    label = _labels_of(contract, ruleset.family)
    return label[1] if label else contract_title(ruleset, contract)


def contract_symbol(ruleset: Ruleset, contract: str, trump: object = None, number: int = 0) -> str:
    """Return a few glyphs for a contract; a trump deal shows its suit if it is known.

    `number` says which deal of this contract it is, from 1; 0 if that does not matter. A contract
    of house rules has no symbol and shows the start of its name.
    """
    label = _labels_of(contract, ruleset.family)
    symbol = label[2] if label else contract_title(ruleset, contract)[:2]
    last = ruleset.tricks
    symbol = symbol.replace("12·13", f"{last - 1}·{last}").replace("13.", f"{last}.")
    if symbol == ITALIAN_SIGNS["declaration"]:
        symbol = (NUMBERED[number] if number < len(NUMBERED) else f"{number} ") + symbol
    between = " " if trump == NO_TRUMP else ""
    return f"{symbol}{between}{SUITS[str(trump)][1]}" if trump in SUITS else symbol


def name_at_home(ruleset: Ruleset, contract: str) -> tuple[str, str]:
    """Return the language of a game and its name for a contract; empty without another one."""
    language, names = AT_HOME.get(ruleset.id) or AT_HOME.get(ruleset.family) or ("", {})
    name = names.get(contract) or names.get(contract.removeprefix("no-").removeprefix("take-"), "")
    return (language, name) if name and name not in contract_title(ruleset, contract) else ("", "")


@in_language
def suit_name(suit: str) -> str:
    return str(SUITS[suit][0])


def suit_of(trump: object) -> str:
    """Return the symbol of a trump suit; empty if there is none."""
    return suit_symbol(str(trump)) if trump in SUITS else ""


def suit_symbol(suit: str) -> str:
    return str(SUITS[suit][1])


@in_language
def unit_name(unit: str) -> str:
    return str(UNITS.get(unit, unit))


@in_language
def kind_name(kind: str) -> str:
    """Return the name of a kind, such as penalty or trump; a contract may be its own kind."""
    if kind in CONTRACTS and kind not in KINDS:
        return contract_name(kind)
    return str(KINDS.get(kind, kind))


@in_language
def must_sentence(must: str) -> str:
    return str(MUST[must]) if must in MUST else contract_name(must)


def badge_name(badge: str) -> str:
    return str(BADGES[badge][0])


def badge_meaning(badge: str) -> str:
    return str(BADGES[badge][1])


def option_name(setting: str) -> str:
    return str(OPTIONS[setting][0])


def option_help(setting: str) -> str:
    return str(OPTIONS[setting][1])


def option_value_name(setting: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    number = number_of(value) if isinstance(value, str) else None
    if number is not None:
        return money_text(number)
    return str(OPTION_VALUES.get((setting, value), value))


@in_language
def reason_name(group: str, reason: str) -> str:
    return str(REASONS.get((group, reason), reason))


OTHER = "other"
NAMES: Mapping[str, Text] = {
    "turkish-king": _("King"),
    "italian-king": _("Italian King"),
    "krapet": _("Krapet"),
    "euchre": _("Euchre"),
    OTHER: _("Other games"),
}
"""Families with a tile of their own; all others share one."""


def family_name(family: str) -> str:
    """Return the name of a family, with or without a tile of its own."""
    return str(NAMES[family]) if family in NAMES else ruleset_name(family)


Kind = Ruling.Kind

MEANINGS: Mapping[str, Text] = {
    Kind.PENALTY: gettext_lazy("so many points are taken from the sum"),
    Kind.ADJUSTED: gettext_lazy("the round is worth so many points, whatever was played"),
    Kind.FORFEIT: gettext_lazy("the game counts as so many points, and as the last place"),
    Kind.ABSENT: gettext_lazy("as a forfeit, and nobody was met"),
    Kind.BYE: gettext_lazy("the game does not count; the round is worth a bye"),
}

ABSENCES: Mapping[str, Text] = {
    "here": gettext_lazy("came after this seating was drawn"),
    "not-checked-in": gettext_lazy("not checked in"),
    "left": gettext_lazy("did not play the last round"),
    "joins-later": gettext_lazy("plays for somebody else"),
    "withdrawn": gettext_lazy("withdrawn"),
    "qualified-since": gettext_lazy("qualified since"),
    "reserve": gettext_lazy("reserve"),
    "no-team": gettext_lazy("is in no team"),
}
"""Why somebody has no seat in a proposal."""

ROUNDS_UNITS: Mapping[str, Text] = {
    "game": gettext_lazy("in points of the game"),
    "places": gettext_lazy("in place points"),
    "out": gettext_lazy("in wins"),
    "pair-difference": gettext_lazy("in points ahead of the others"),
}
"""The unit of the standings, by the setting of the points of a round."""


ROUND_STATES: Mapping[str, Text] = {
    "seated": pgettext_lazy("state of a round", "seated, not published yet"),
    "published": pgettext_lazy("state of a round", "published, not open yet"),
    "open": pgettext_lazy("state of a round", "open"),
    "closed": pgettext_lazy("state of a round", "closed"),
}


def round_name(round_: Round) -> str:
    if round_.stage:
        return stage_name(round_.stage)
    return pgettext("of an event", "Round %(number)s") % {"number": round_.number}


def ruling_unit(kind: str, points: str) -> str:
    """Return the unit that a ruling counts in: a forfeited game has points of the game."""
    if kind == Kind.BYE:
        return ""
    return str(ROUNDS_UNITS["game" if kind in (Kind.FORFEIT, Kind.ABSENT) else points])
