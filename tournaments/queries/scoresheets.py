"""Sheets of games as texts: rows, authors, how a game stands or ended, badges and payments.

`deal_line` and `marks_of` write a deal, `remark` any other entry, `state_of` a game.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.documents.entries import write_entry
from tournaments.engine.play.games import Game as GamesGame
from tournaments.engine.play.games import PlayedDeal, Roles, find_roles, only_totals
from tournaments.engine.play.outcomes import (
    Badge,
    Outcome,
    Payment,
    deals_left,
    rank,
    settle_game,
    tricks_to_be_out,
)
from tournaments.engine.rules import entries as kinds
from tournaments.engine.rules.entries import (
    PILES,
    REMARKS,
    Adjustment,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Totals,
    Void,
    Written,
)
from tournaments.engine.rules.fields import FIELDS
from tournaments.engine.rules.rulesets import (
    Contract,
    PerSide,
    Points,
    Ruleset,
    Setting,
)
from tournaments.models import Club, Game, Member, Player, Revision, User
from tournaments.models.clubs import DIRECTING
from tournaments.queries.players import called_in_club
from tournaments.texts import labels


def authors_of(row: Game, writes: Iterable[Revision]) -> Mapping[int, str]:
    """Return the author of each revision of a game; empty if none is known.

    The author is the name sent with the revision, else the name of the signed-in account, else the
    last name sent from the same phone, else its number. A director who does not play at the table
    is called so: their name may be a player's, too. Phones are numbered in the order of their first
    revisions, so `writes` must be all of them (up to 4 queries, none if nobody was signed in).
    """
    writes = tuple(writes)
    names = _names(row, {write.user_id for write in writes if write.user_id and not write.author})
    phones = dict.fromkeys(write.phone for write in writes if write.phone)
    numbers = {phone: number for number, phone in enumerate(phones, 1)}
    by_phone = {write.phone: write.author for write in writes if write.phone and write.author}
    by_phone = {
        phone: _("phone %(number)s") % {"number": number} for phone, number in numbers.items()
    } | by_phone
    return {
        write.revision: write.author or names.get(write.user_id) or by_phone.get(write.phone, "")
        for write in writes
    }


def _names(row: Game, accounts: set[int]) -> dict[int | None, str]:
    if not accounts:
        return {}
    users = User.objects.in_bulk(accounts)
    club = Club.objects.filter(events__rounds__tables__games=row).first()
    if club is None:
        return {key: user.first_name for key, user in users.items()}
    players = Player.objects.present().filter(club=club, account__in=accounts)
    own = {player.account_id: player for player in players}
    directing = Member.objects.filter(club=club, role__in=DIRECTING, user__in=accounts)
    directing = directing.exclude(user__players__seats__game=row)
    directors = set(directing.values_list("user_id", flat=True))
    called = {key: called_in_club(user, own.get(key)) for key, user in users.items()}
    return {
        key: _("%(name)s (director)") % {"name": name} if key in directors else name
        for key, name in called.items()
    }


MOST_IN_A_LINE = 3
"""In a narrow column, more numbers of one deal than this are split into two lines."""


class DealLine(NamedTuple):
    """A completed deal as texts.

    `taken` is the recorded result per side. `seat` is who named the contract, bought it or made
    trump (None: nobody), `declarer` the name if a side has several players. `marks` are further
    remarks; `king` is the side that made King.
    """

    taken: tuple[str, ...]
    seat: int | None
    declarer: str
    marks: tuple[str, ...]
    king: int | None


def remarks_of(entry: Written) -> dict[str, str]:
    return {name: value for name in REMARKS if (value := getattr(entry, name)) is not None}


def deal_line(game: GamesGame, played: PlayedDeal, players: Sequence[str]) -> DealLine:
    """Return a completed deal as a line of the sheet; `players` are names in seat order."""
    ruleset, details = game.ruleset, {**played.deal.details, **remarks_of(played.deal)}
    seat = details.get("maker", find_roles(ruleset, played.contract, played.declarer).names)
    seat = details["sale"]["buyer"] if "sale" in details else seat
    king = played.king
    taken = TAKEN.get(played.contract.scoring, _units_taken)
    return DealLine(
        taken=taken(game, played),
        seat=seat,
        declarer=players[seat] if seat is not None and ruleset.seats_in_a_side > 1 else "",
        marks=tuple(marks_of(ruleset, players, details, IN_COLUMNS)),
        king=ruleset.sides[king.seat] if king is not None and king.made else None,
    )


def numbers_of(game: GamesGame) -> dict[int, int]:
    """Return the number of each dealt hand, by the index of its entry; passed hands count."""
    played = {deal.entry for deal in game.deals}
    hands = [
        index
        for index, entry in enumerate(game.entries)
        if index in played or isinstance(entry, Passed)
    ]
    return {index: number for number, index in enumerate(hands, start=1)}


def roles_of(ruleset: Ruleset, number: int, first: int, contract: Contract | None = None) -> Roles:
    """Return who does what in the deal of a number, in a game that seat `first` began.

    A contract that is not known yet follows from the plan, if that leaves no choice.
    """
    stage = ruleset.plan[number - 1] if number <= len(ruleset.plan) else ()
    known = ruleset.by_id[stage[0]] if len(stage) == 1 else ruleset.unnamed
    turn = (first + (number - 1) // ruleset.in_a_row) % ruleset.seats
    return find_roles(ruleset, contract or known, turn)


DECLARES, DEALS = "declares", "deals"


def role_marks(
    ruleset: Ruleset, players: Sequence[str], declarer: int | None, dealer: int | None
) -> list[tuple[str, str]]:
    """Return the mark of each side in a deal; in pairs with the name of the player."""
    marks = [("", "")] * ruleset.side_count
    for mark, seat in ((DEALS, dealer), (DECLARES, declarer)):
        if seat is not None:
            name = players[seat] if ruleset.seats_in_a_side > 1 else ""
            marks[ruleset.sides[seat]] = (mark, name)
    return marks


def meanings_of_marks(ruleset: Ruleset, marks: Collection[str]) -> dict[str, str]:
    declares = _("declarer")
    if ruleset.unnamed is not None:
        declares = _("maker of trump")
    elif ruleset.settings.get("sale"):
        declares = _("declarer or buyer")
    elif ruleset.settings.get("dealer") == "declares":
        declares = _("dealer and declarer")
    meanings = {DECLARES: declares, DEALS: _("dealer")}
    return {mark: text for mark, text in meanings.items() if mark in marks}


# What each side took.


def _units_taken(game: GamesGame, played: PlayedDeal) -> tuple[str, ...]:
    """Return the units of the contract, even if the table has recorded all units."""
    counts = played.deal.counts or {}
    columns = [counts[unit] for unit in played.contract.values]
    return tuple(
        _numbers([column[side] for column in columns]) for side in range(game.ruleset.side_count)
    )


def _tricks_of_makers(game: GamesGame, played: PlayedDeal) -> tuple[str, ...]:
    """Return the makers' tricks; how several others share the rest is not recorded."""
    tricks = played.deal.details["tricks"]
    makers = game.ruleset.sides[played.deal.details["maker"]]
    rest = str(game.ruleset.hand_tricks - tricks) if game.ruleset.side_count == 2 else ""
    return tuple(str(tricks) if side == makers else rest for side in range(game.ruleset.side_count))


def _cards_in_piles(game: GamesGame, played: PlayedDeal) -> tuple[str, ...]:
    left = played.deal.details.get("left")
    if left is None:
        return ("",) * game.ruleset.side_count
    piles = [[left[pile][seat] for pile in PILES] for seat in range(game.ruleset.seats)]
    return tuple(_numbers(cards) if any(cards) else "0" for cards in piles)


def _numbers(numbers: Sequence[int]) -> str:
    half = -(-len(numbers) // 2) if len(numbers) > MOST_IN_A_LINE else len(numbers)
    rows = (numbers[:half], numbers[half:])
    return " ".join("·".join(map(str, row)) for row in rows if row)


TAKEN: Mapping[str, Callable[[GamesGame, PlayedDeal], tuple[str, ...]]] = MappingProxyType(
    {
        "makers-and-defenders": _tricks_of_makers,
        "bid-tricks": _tricks_of_makers,
        "piles-emptied": _cards_in_piles,
    }
)
"""The result per side, by scoring strategy; the default is the units."""


# What else is written of a deal.

IN_COLUMNS = ("maker", "tricks", "left", "king", "tricks_played")
"""The fields of a deal that the columns of a sheet show already."""


def marks_of(
    ruleset: Ruleset, players: Sequence[str], details: Mapping[str, Any], but: Collection[str] = ()
) -> list[str]:
    """Return a short text for each further field of a deal and each remark."""
    further = [name for name in FIELDS if name in details and name not in but]
    marks = [_mark_of(ruleset, players, name, details[name]) for name in further]
    return [*filter(None, marks), *(details[name] for name in REMARKS if name in details)]


def _mark_of(ruleset: Ruleset, players: Sequence[str], name: str, value: Any) -> str:
    """Return the text of a further field by its kind; may be empty."""
    kind, words = FIELDS[name].kind, {"number": value}
    match kind:
        case kinds.SEAT | kinds.SEAT_OR_NULL | kinds.PARTNER_OR_NULL:
            if value is None:
                return _("no winner") if kind is kinds.SEAT_OR_NULL else ""
            # A pair takes all tricks together.
            is_king = name == "king"
            words["player"] = _side_name(ruleset, players, value) if is_king else players[value]
        case kinds.SIDE:
            words["player"] = ruleset.side_names(players)[value]
        case kinds.YES | kinds.YES_IN_PAIRS if not value:
            return ""
        case kinds.SALE:
            words |= {"player": players[value["buyer"]], "tricks": value["tricks"]}
        case kinds.OFFER:
            titles = [labels.contract_short(ruleset, c) for c in value]
            words["contracts"] = ", ".join(titles)
        case kinds.DOUBLES:
            short = initials(players)
            return ", ".join(
                f"{short[one]}{'××' if double.get('redoubled') else '×'}{short[other]}"
                for double in value
                for one, other in [double["seats"]]
            )
        case kinds.LEFT:
            piles = (
                "·".join(str(value[pile][seat]) for pile in PILES) for seat in range(len(players))
            )
            words["piles"] = ", ".join(map(" ".join, zip(players, piles, strict=True)))
        case kinds.CALLS:
            called = [f"{player} {n}" for player, n in zip(players, value, strict=True) if n]
            if not called:
                return ""
            words["calls"] = ", ".join(called)
    ended_early = name != "tricks_played" or value < ruleset.tricks
    return _(FIELDS[name].mark) % words if FIELDS[name].mark and ended_early else ""


MOST_INITIALS = 3


def initials(players: Sequence[str]) -> list[str]:
    """Return the shortest distinct prefixes of the names, or else seat numbers."""
    for letters in range(1, MOST_INITIALS + 1):
        short = [name[:letters] for name in players]
        if len(set(short)) == len(short):
            return short
    return [str(seat + 1) for seat in range(len(players))]


# Lines other than deals.


def remark(entry: Entry, players: Sequence[str]) -> str:
    """Return the text of an entry that is no deal, without its contract but with its remarks."""
    return _with_remarks(_remark(entry, players), entry)


def _with_remarks(text: str, entry: Entry) -> str:
    return " · ".join(filter(None, [text, *remarks_of(entry).values()]))


def _remark(entry: Entry, players: Sequence[str]) -> str:
    match entry:
        case Void(reason=reason):
            return labels.reason_name("void", reason)
        case Redeal(by=seat, reason=reason):
            return f"{players[seat]} · {labels.reason_name('redeal', reason)}"
        case Passed():
            return _("Everyone passed")
        case Adjustment(reason=reason):
            return labels.reason_name("adjustment", reason)
        case Stopped(reason=reason):
            return _("Stopped: %(reason)s") % {"reason": labels.reason_name("stopped", reason)}
    return totals_text(write_entry(entry)) if isinstance(entry, Totals) else ""


def totals_text(body: Mapping[str, Any]) -> str:
    """Return where the final totals of an entry come from, and what else is said of them."""
    return " · ".join(
        [
            _("Totals taken over") if body.get("imported") else _("Totals from paper"),
            *([_("ended early")] if body.get("early") else []),
            *([_("sum not checked")] if body.get("unchecked") else []),
        ]
    )


# The state or end of a game.


def state_of(game: GamesGame, outcome: Outcome, players: Sequence[str]) -> str:
    """Return how far a game is, or its result."""
    if game.finished:
        return outcome_of(game, outcome, players)
    return going_text(game.ruleset, len(game.deals), game.totals)


def going_text(ruleset: Ruleset, deals: int, totals: PerSide) -> str:
    """Return the progress of an unfinished game after `deals` deals."""
    if ruleset.length is not None:
        return _("deal %(deal)s of %(deals)s") % {"deal": deals + 1, "deals": ruleset.length}
    details = " : ".join(map(labels.points_text, totals))
    return _("%(totals)s, first to %(target)s") % {"totals": details, "target": ruleset.target}


def chances_of(game: GamesGame, players: Sequence[str]) -> str:
    """Return who leads by how much, and how many tricks the others still need to be out.

    Empty before a deal, at the end, and while all are level.
    """
    ranks, names = rank(game.totals), game.ruleset.side_names(players)
    if game.finished or len(set(ranks)) == 1:
        return ""
    best = [name for name, place in zip(names, ranks, strict=True) if place == 1]
    first, second, *_rest = sorted({*game.totals}, reverse=True)
    ahead = {"players": ", ".join(best), "points": labels.points_text(first - second)}
    parts = [_("Ahead by %(points)s: %(players)s") % ahead]
    needs = dict(zip(names, tricks_to_be_out(game) or [0] * len(names), strict=True))
    tricks = [
        ngettext("%(player)s %(number)s trick", "%(player)s %(number)s tricks", need)
        % {"player": name, "number": need}
        for name, need in needs.items()
        if need
    ]
    if tricks:
        penalties, _trumps = deals_left(game)
        text = _("To be out, at least: %(tricks)s") if penalties else _("To be out: %(tricks)s")
        parts.append(text % {"tricks": ", ".join(tricks)})
    lost = ", ".join(name for name, need in needs.items() if need is None)
    if lost:
        sinks = game.ruleset.settings.get("king") == "off"
        text = _("Sinks: %(players)s") if sinks else _("Only a King saves: %(players)s")
        parts.append(text % {"players": lost})
    return " · ".join(parts)


def outcome_of(game: GamesGame, outcome: Outcome, players: Sequence[str]) -> str:
    """Return the result of the game in one sentence; empty while it goes on."""
    if game.ending is None:
        return ""
    if game.ending.seat is None:
        return _verdict(game, outcome, players)
    king = {"player": _side_name(game.ruleset, players, game.ending.seat)}
    made = game.ending.by == "king"
    if game.ruleset.seats_in_a_side > 1 or not (outcome.out or outcome.sunk):
        text = _("King by %(player)s!") if made else _("%(player)s declared King and failed.")
        return f"{text % king} {_verdict(game, outcome, players)}"
    if made:
        return _("King! %(player)s alone is out.") % king
    return _("%(player)s declared King and failed: sunk alone.") % king


def _verdict(game: GamesGame, outcome: Outcome, players: Sequence[str]) -> str:
    names = game.ruleset.side_names(players)
    out = [names[side] for side in outcome.out]
    if len(out) == len(names):
        return _("Everybody is out.")
    if out:
        return _("Out: %(players)s") % {"players": ", ".join(out)}
    if outcome.sunk:
        return _("Nobody is out.")
    best = [name for name, rank in zip(names, outcome.ranks, strict=True) if rank == 1]
    if len(best) == len(names) and game.ruleset.settings["outcome"] not in WON_JOINTLY:
        return _("A draw.")
    return _("Won: %(players)s") % {"players": ", ".join(best)}


WON_JOINTLY: frozenset[Setting] = frozenset({"highest-wins"})
"""Outcomes in which equal scores share the victory; in the others nobody wins a draw."""


def verdict_texts() -> dict[str, str]:
    """Return the sentences of `outcome_of` for `static/ending.js`, which puts the names in."""
    players, player = {"players": "{players}"}, {"player": "{player}"}
    return {
        "out": _("Out: %(players)s") % players,
        "nobody": _("Nobody is out."),
        "won": _("Won: %(players)s") % players,
        "draw": _("A draw."),
        "king": _("King by %(player)s!") % player,
        "kingAlone": _("King! %(player)s alone is out.") % player,
        "failed": _("%(player)s declared King and failed.") % player,
        "failedAlone": _("%(player)s declared King and failed: sunk alone.") % player,
        "isOut": _("out"),
        "isSunk": _("sunk"),
    }


def _side_name(ruleset: Ruleset, players: Sequence[str], seat: int) -> str:
    """Return the name of the player of a seat, or of the pair, which takes all tricks together."""
    return ruleset.side_names(players)[ruleset.sides[seat]]


def ending_of(game: GamesGame, players: Sequence[str]) -> str:
    """Return how the game ended, or how far it is; empty after its last deal."""
    ending, played = game.ending, game.turns
    if ending is None:
        text = (
            _("Not finished: first to %(target)s, after deal %(played)s")
            if game.ruleset.length is None
            else _("Not finished: %(played)s of %(deals)s deals")
        )
        return text % _so_far(game)
    if ending.seat is not None:
        who = {"player": _side_name(game.ruleset, players, ending.seat), "deal": played}
        if ending.by == "king":
            return _("King by %(player)s in deal %(deal)s") % who
        return _("King declared and missed by %(player)s in deal %(deal)s") % who
    last = game.entries[ending.entry]
    if isinstance(last, Stopped | Totals):
        return _ended_at(game, last)
    if ending.by == "target":
        reached = {"target": game.ruleset.target, "deal": played}
        return _("First to %(target)s: over with deal %(deal)s") % reached
    return ""


def _ended_at(game: GamesGame, last: Stopped | Totals) -> str:
    if only_totals(game):
        return _("Only its totals are known")
    if isinstance(last, Totals):
        return totals_text(write_entry(last))
    reason = _with_remarks(labels.reason_name("stopped", last.reason), last)
    so_far = {**_so_far(game), "reason": reason}
    if game.ruleset.length is None:
        return _("Stopped early after deal %(played)s: %(reason)s") % so_far
    return _("Stopped early after %(played)s of %(deals)s deals: %(reason)s") % so_far


def _so_far(game: GamesGame) -> dict[str, object]:
    ruleset = game.ruleset
    played = game.turns if ruleset.length is None else len(game.deals)
    return {"played": played, "deals": ruleset.length, "target": ruleset.target}


# Badges.


Members = tuple[tuple[int, str], ...]
"""The seats of a side, with the names of the players."""


def members_of(ruleset: Ruleset, players: Sequence[str]) -> tuple[Members, ...]:
    seated = tuple(zip(ruleset.sides, enumerate(players), strict=True))
    return tuple(
        tuple(member for side, member in seated if side == its) for its in range(ruleset.side_count)
    )


class BadgeHolder(NamedTuple):
    """A side that earned a badge, and the numbers of the deals."""

    name: str
    members: Members
    deals: tuple[int, ...]


class EarnedBadge(NamedTuple):
    badge: str
    name: str
    meaning: str
    holders: tuple[BadgeHolder, ...]


def badges_of(
    game: GamesGame, earned: Sequence[Badge], players: Sequence[str]
) -> tuple[EarnedBadge, ...]:
    """Return the badges in the order of the rules, each with its holders."""
    order, numbers = list(labels.BADGES), numbers_of(game)
    names, members = game.ruleset.side_names(players), members_of(game.ruleset, players)
    deals: dict[str, dict[int, list[int]]] = {}
    for badge, side, entry in sorted(earned, key=lambda row: (order.index(row[0]), *row[1:])):
        of_side = deals.setdefault(badge, {}).setdefault(side, [])
        of_side += [numbers[entry]] if entry in numbers else []
    return tuple(
        EarnedBadge(
            badge,
            labels.badge_name(badge),
            labels.badge_meaning(badge),
            tuple(BadgeHolder(names[side], members[side], tuple(of)) for side, of in sides.items()),
        )
        for badge, sides in deals.items()
    )


# Money.


def payment_texts(names: Sequence[str], payments: Iterable[Payment]) -> list[str]:
    return [
        _("%(payer)s pays %(payee)s: %(amount)s")
        % {
            "payer": names[payer],
            "payee": names[payee],
            "amount": labels.amount_text(amount, thing),
        }
        for payer, payee, amount, thing in payments
    ]


def payments_of(game: GamesGame, players: Sequence[str]) -> dict[str, Any] | None:
    """Return the stake and who pays whom by the current scores; None if played for nothing."""
    settlement = settle_game(game) if game.stake else None
    if settlement is None or game.stake is None:
        return None
    paid = payment_texts(game.ruleset.side_names(players), settlement.payments)
    return {"stake": labels.stake_text(game.stake), "paid": paid}


# Places.


class FinalStanding(NamedTuple):
    """A player (or pair) at the end of a game; `king` made the King that ended it."""

    name: str
    members: Members
    total: Points
    rank: int
    out: bool
    sunk: bool
    king: bool


def standings_of(
    game: GamesGame, outcome: Outcome, players: Sequence[str]
) -> tuple[FinalStanding, ...]:
    names, members = game.ruleset.side_names(players), members_of(game.ruleset, players)
    king = None
    if game.ending is not None and game.ending.by == "king" and game.ending.seat is not None:
        king = game.ruleset.sides[game.ending.seat]
    order = sorted(range(len(game.totals)), key=lambda side: outcome.ranks[side])
    return tuple(
        FinalStanding(
            names[side],
            members[side],
            game.totals[side],
            outcome.ranks[side],
            out=side in outcome.out,
            sunk=side in outcome.sunk,
            king=side == king,
        )
        for side in order
    )


def occasion_of(game: GamesGame, players: Sequence[str]) -> str:
    """Return the name of a game, and how it ended, how far it is, or how many deals it took."""
    name, deals = labels.name_of(game.ruleset), len(game.deals)
    ending = ending_of(game, players)
    if not ending:
        ending = ngettext("%(number)s deal", "%(number)s deals", deals) % {"number": deals}
    return f"{name} · {ending}"


def reason_of(game: GamesGame, outcome: Outcome) -> str:
    """Return why an unusual result came about; empty for others."""
    if not (outcome.out or outcome.sunk) or only_totals(game):
        return ""
    if game.ending is not None and game.ending.seat is not None:
        return _("A King decides, whatever the scores say.")
    if not outcome.sunk:
        return _("The scores do not add up to zero here: everybody is above it.")
    return "" if outcome.out else _why_nobody(game)


def _why_nobody(game: GamesGame) -> str:
    if game.ruleset.settings.get("out") == "mean":
        return _("All scores are level: nobody is above the mean.")
    if any(game.totals):
        return _("The scores do not add up to zero here: nobody is above it.")
    return _("All scores are level: nobody is above zero.")


def surprise_of(game: GamesGame, outcome: Outcome, badges: Sequence[EarnedBadge]) -> str:
    """Return what else to say below the headline: the reason, or the badge of the whole game."""
    of_game = [badge for badge in badges if badge.badge in game.ruleset.badges]
    return reason_of(game, outcome) or next((f"{b.name}: {b.meaning}" for b in of_game), "")
