"""Ways to spoil a right record, listed with the problems that must be found in each."""

import copy

from tests.engine.mutations import GONE, Mutation
from tests.engine.test_records import load


class Spoiling(list):
    """Mutations of whole games; `whole` names the record that each ruleset starts from."""

    def __init__(self, whole):
        super().__init__()
        self.whole = whole

    def whole_game(self, ruleset):
        """A right game of a ruleset from the first entry to the last."""
        return copy.deepcopy(load(self.whole[ruleset]))

    def enter(self, name, spoil, problems, rulesets=None, options=None):
        """Enter a mutation, of every ruleset unless some are named, with more options."""

        def spoil_with_options(game):
            if options is not None:
                game.setdefault("options", {}).update(options)
            spoil(game)

        self.append(Mutation(name, rulesets or tuple(self.whole), spoil_with_options, problems))

    def found(self, *problems, **where):
        """Enter the function below as a mutation in which `problems` are found."""

        def enter(spoil):
            self.enter(spoil.__name__.strip("_").replace("_", "-"), spoil, problems, **where)
            return spoil

        return enter

    def put(self, place, value, *problems, **where):
        """Enter the mutation that writes `value` at a dotted place (GONE: takes it away)."""

        def spoil(game):
            *path, last = (int(step) if step.isdigit() else step for step in place.split("."))
            target = game
            for step in path:
                target = target[step]
            if value is GONE:
                del target[last]
            else:
                target[last] = copy.deepcopy(value)

        shown = "nothing" if value is GONE else repr(value)
        self.enter(f"{place}={shown}", spoil, problems, **where)

    def insert(self, entry, *problems, at=2, **where):
        """Enter the mutation that inserts an entry."""

        def spoil(game):
            game["entries"].insert(at, copy.deepcopy(entry))

        shown = ", ".join(f"{name}={value!r}" for name, value in entry.items())
        self.enter(f"{shown} at {at}", spoil, problems, **where)

    def replace(self, index, entry, *problems, **where):
        """Enter the mutation that writes another entry at an index."""

        def spoil(game):
            game["entries"][index] = copy.deepcopy(entry)

        shown = ", ".join(f"{name}={value!r}" for name, value in entry.items())
        self.enter(f"{index}: {shown}", spoil, problems, **where)


VOID = {"type": "void", "reason": "misdeal"}
REDEAL = {"type": "redeal", "by": 1, "reason": "misdeal"}
ADJUSTMENT = {"type": "adjustment", "seat": 1, "points": -3, "reason": "revoke"}
STOPPED = {"type": "stopped", "reason": "time"}


def without(entry, *fields):
    return {name: value for name, value in entry.items() if name not in fields}


def spoil_the_head(mutations):
    """What can be wrong before the first entry, in every ruleset."""
    put, found = mutations.put, mutations.found
    put("format", "kingscore-game/2", (None, "unknown-format", "format"))
    put("ruleset", "scopa", (None, "unknown-ruleset", "ruleset"))
    for field in ("format", "ruleset", "players", "entries"):
        put(field, GONE, (None, "missing-field", field))
    put("dealer", 0, (None, "unexpected-field", "dealer"))
    put("players.1", "", (None, "wrong-players", "players"))
    put("players.1", 2, (None, "wrong-type", "players"))
    put("players", [], (None, "wrong-players", "players"))
    put("first_declarer", -1, (None, "bad-seat", "first_declarer"))
    put("first_declarer", 4, (None, "bad-seat", "first_declarer"))
    put("first_declarer", None, (None, "wrong-type", "first_declarer"))
    put("options", {"x": 1}, (None, "unknown-option", "options.x"))
    for option, value in (
        ("king", "off"),
        ("king_deals", "all"),
        ("out", "positive"),
        ("order", "advised"),
        ("deals", 8),
    ):
        put("options", {option: value}, (None, "unknown-option", f"options.{option}"))

    @found((None, "wrong-players", "players"))
    def _one_player_too_few(game):
        game["players"].pop()

    @found((None, "wrong-players", "players"))
    def _one_player_too_many(game):
        game["players"].append("Elif")

    @found((None, "wrong-players", "players"))
    def _two_of_a_name(game):
        game["players"][1] = game["players"][0]

    @found((None, "bad-seat", "first_declarer"))
    def _first_declarer_beside_the_table(game):
        game["first_declarer"] = len(game["players"])


def spoil_the_options(mutations, right, wrong):
    """Every option with values it cannot have, and in rulesets that do not have it.

    `right` gives the options of each ruleset with a right value, `wrong` the wrong values.
    """
    for ruleset, options in right.items():
        for option, values in wrong.items():
            for value in values if option in options else [*values, right_value(option, right)]:
                problem = (None, "unknown-option", f"options.{option}")
                mutations.put("options", {option: value}, problem, rulesets=(ruleset,))


def right_value(option, right):
    return next(options[option][0] for options in right.values() if option in options)


def spoil_what_is_no_deal(mutations):
    """Voids, redeals, adjustments and stops that are wrong in every ruleset."""
    put, insert = mutations.put, mutations.insert
    put("entries.2", [], (2, "wrong-type", ""))
    put("entries.2", {}, (2, "missing-field", "type"))
    put("entries.2.type", "hand", (2, "wrong-type", "type"))
    put("entries.2.author", 7, (2, "wrong-type", "author"))
    insert(without(VOID, "reason"), (2, "missing-field", "reason"))
    insert({**VOID, "reason": "boredom"}, (2, "void-not-allowed", "reason"))
    insert({**VOID, "counts": {}}, (2, "unexpected-field", "counts"))
    insert(without(REDEAL, "by"), (2, "missing-field", "by"))
    insert({**REDEAL, "by": 4}, (2, "bad-seat", "by"))
    insert({**REDEAL, "by": "1"}, (2, "wrong-type", "by"))
    for reason in ("no-high-card", "bad cards"):
        insert({**REDEAL, "reason": reason}, (2, "redeal-not-allowed", "reason"))
    insert({**REDEAL, "declarer": 1}, (2, "unexpected-field", "declarer"))
    for field in ("seat", "points", "reason"):
        insert(without(ADJUSTMENT, field), (2, "missing-field", field))
    insert({**ADJUSTMENT, "seat": 4}, (2, "bad-seat", "seat"))
    insert({**ADJUSTMENT, "points": 0}, (2, "bad-adjustment", "points"))
    insert({**ADJUSTMENT, "points": 0.5}, (2, "wrong-type", "points"))
    insert({**ADJUSTMENT, "to": "partner"}, (2, "bad-adjustment", "to"))
    insert({**STOPPED, "reason": "rain"}, (2, "wrong-type", "reason"))
    insert(STOPPED, (3, "game-over", ""))
    for entry in (VOID, REDEAL, STOPPED):
        append_too_late(mutations, entry)


def append_too_late(mutations, entry, rulesets=None):
    """Enter the mutations that add an entry after the end of the game."""
    for ruleset in rulesets or mutations.whole:
        length = len(mutations.whole_game(ruleset)["entries"])
        mutations.insert(entry, (length, "game-over", ""), at=length, rulesets=(ruleset,))
