"""Plants bugs in a copy of the project, one at a time, and shows which test finds each.

`python -m tests.mutations` plants all, `python -m tests.mutations tournaments/api` those below.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from tests.postgres import FORGETFUL, started

ROOT = Path(__file__).resolve().parent.parent
LEFT_BEHIND = shutil.ignore_patterns(".*", "data*", "__pycache__")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Mutation:
    """`old` occurs once in `file`; one of `tests`, paths, fails with `new` in its place."""

    file: str
    old: str
    new: str
    tests: str


ENGINE = "tournaments/engine"
SERVICES = "tournaments/services"

MUTATIONS = (
    # Rules and play.
    Mutation(
        f"{ENGINE}/play/games.py",
        "turns = len(self.deals) + self.passed",
        "turns = len(self.deals)",
        "tests/engine",
    ),
    Mutation(
        f"{ENGINE}/play/games.py",
        "if sides[deal.declarer] == sides[seat]]",
        "if deal.declarer == seat]",
        "tests/engine",
    ),
    Mutation(
        f"{ENGINE}/play/games.py",
        "sides[declarer] == sides[expected]",
        "sides[declarer] != sides[expected]",
        "tests/engine",
    ),
    Mutation(
        f"{ENGINE}/play/games.py",
        "if redeal.by in range(game.ruleset.seats) and redeal.by != game.declarer:",
        "if redeal.by in range(game.ruleset.seats) and redeal.by == game.declarer:",
        "tests/engine",
    ),
    Mutation(
        f"{ENGINE}/rules/scoring.py",
        "won[winner] = WON + cards[1 - winner]",
        "won[winner] = WON + cards[winner]",
        "tests/engine",
    ),
    # The units of a deal, and its scores.
    Mutation(
        f"{ENGINE}/rules/rulesets.py",
        '"last_trick": ("tricks", "last_two"),',
        '"last_trick": ("tricks",),',
        "tests/engine/rules/test_units.py",
    ),
    Mutation(
        f"{ENGINE}/rules/rulesets.py",
        "if fewest is None or fewest > ALL_TRICKS:",
        "if fewest is None:",
        "tests/engine/rules/test_units.py",
    ),
    Mutation(
        f"{ENGINE}/rules/rulesets.py",
        "needed = [max(-(-n // seats), last) for",
        "needed = [max(n // seats, last) for",
        "tests/engine/rules/test_units.py",
    ),
    Mutation(
        f"{ENGINE}/rules/rulesets.py",
        "for units in written if len(units) > 1]",
        "for units in written if len(units) > 2]",
        "tests/engine/rules/test_units.py",
    ),
    Mutation(
        f"{ENGINE}/rules/rulesets.py",
        "zip(needed, tricks, strict=True)):\n                continue",
        "zip(needed, tricks, strict=True)):\n                pass",
        "tests/engine/rules/test_units.py",
    ),
    Mutation(
        f"{ENGINE}/rules/scoring.py",
        "won = Fraction(-sum(lost), left.count(0))",
        "won = Fraction(-sum(lost), 1)",
        "tests/engine/rules tests/engine/play tests/engine/variants",
    ),
    Mutation(
        f"{ENGINE}/rules/scoring.py",
        "if left[1 - closer] < ruleset.seats_in_a_side:",
        "if left[1 - closer] < 1:",
        "tests/engine/rules tests/engine/play tests/engine/variants",
    ),
    Mutation(
        f"{ENGINE}/rules/scoring.py",
        'settings["march_alone"] if alone else settings["march"]',
        'settings["march"]',
        "tests/engine/rules tests/engine/play tests/engine/variants",
    ),
    Mutation(
        f"{ENGINE}/rules/scoring.py",
        'weights = {"reserve": 2, "stock": 1, "waste": 1}',
        'weights = {"reserve": 1, "stock": 1, "waste": 1}',
        "tests/engine/rules tests/engine/play tests/engine/variants",
    ),
    Mutation(
        f"{ENGINE}/rules/scoring.py",
        "room = inf if side_quota is None else side_quota * ruleset.side_count",
        "room = inf if side_quota is None else side_quota",
        "tests/engine/rules/test_scoring.py",
    ),
    Mutation(
        f"{ENGINE}/rules/scoring.py",
        "if sorted(places) != list(range(1, ruleset.side_count + 1)):",
        "if len(places) != ruleset.side_count:",
        "tests/engine/rules tests/engine/play tests/engine/variants",
    ),
    # On the phone.
    Mutation(
        "static/counts.js",
        "const missing = (unit) => total(unit) - sum(numbersOf(unit));",
        "const missing = (unit) => total(unit);",
        "tests/browser/test_pad.py",
    ),
    Mutation(
        "static/counts.js",
        "if (left > 0) write(input, isTyped(input) ? number(input) + 1 : 1);",
        "write(input, isTyped(input) ? number(input) + 1 : 1);",
        "tests/browser/test_pad.py",
    ),
    Mutation(
        "static/outbox.js",
        "if (rest.length) rest[0].revision = seen;",
        "",
        "tests/browser/test_pad.py tests/browser/test_open_table.py",
    ),
    Mutation(
        "static/counts.js",
        "return hasTotal(unit) ? missing(unit) === 0",
        "return hasTotal(unit) ? true",
        "tests/browser/test_pad.py",
    ),
    Mutation(
        "static/typed.js",
        "if (isTick(field)) field.checked = ticked;",
        "",
        "tests/browser/test_accounts.py",
    ),
    # Locks: the races find them on PostgreSQL.
    Mutation(
        f"{SERVICES}/games/writing.py",
        "load_sheet(Game.objects.select_for_update().get(pk=game_pk))",
        "load_sheet(Game.objects.get(pk=game_pk))",
        "tests/services/games/test_games_together.py",
    ),
    Mutation(
        f"{SERVICES}/rounds/rulings.py",
        "row = Game.objects.select_for_update().get(pk=game_pk)",
        "row = Game.objects.get(pk=game_pk)",
        "tests/services/rounds/test_rounds_together.py",
    ),
    Mutation(
        f"{SERVICES}/events/events.py",
        'rows = Round.objects.select_for_update(of=("self",)).select_related("event__club")',
        'rows = Round.objects.select_related("event__club")',
        "tests/services/games/test_games_together.py",
    ),
    Mutation(
        f"{SERVICES}/tournaments/lifecycle.py",
        'rows = Tournament.objects.select_for_update(of=("self",)).select_related("event__club")',
        'rows = Tournament.objects.select_related("event__club")',
        "tests/services/rounds/test_rounds_together.py",
    ),
    Mutation(
        f"{SERVICES}/games/seating.py",
        "rows = PhoneTransfer.objects.select_for_update().valid_at(at)",
        "rows = PhoneTransfer.objects.valid_at(at)",
        "tests/services/games/test_games_together.py",
    ),
    # Standings, seating and ratings.
    Mutation(
        f"{ENGINE}/standings/results.py",
        "if len(met) < len(tied) - 1:",
        "if not met:",
        "tests/engine/standings",
    ),
    Mutation(
        f"{ENGINE}/standings/results.py",
        "return not game.was_played, game.table.ranks",
        "return False, game.table.ranks",
        "tests/engine/standings",
    ),
    Mutation(
        f"{ENGINE}/standings/results.py",
        "if name in tallies and name not in instead:",
        "if name in tallies:",
        "tests/engine/standings",
    ),
    Mutation(
        f"{ENGINE}/standings/standings.py",
        "names if row % 2 == 0 else names[::-1]",
        "names",
        "tests/engine/standings",
    ),
    Mutation(
        f"{ENGINE}/standings/standings.py",
        "1 + sum(key < keys[name] for key in keys.values()) for name in order",
        "1 + at for at, name in enumerate(order)",
        "tests/engine/standings",
    ),
    Mutation(
        f"{ENGINE}/pairing/search.py",
        "if point < count - self.fixed",
        "if point <= count - self.fixed",
        "tests/engine/pairing",
    ),
    Mutation(
        f"{ENGINE}/ratings/ratings.py",
        "min(self.start, self.variance + drift * max(0.0, days))",
        "self.variance + drift * max(0.0, days)",
        "tests/engine/ratings",
    ),
    Mutation(
        f"{ENGINE}/ratings/ratings.py",
        "shared = rating.variance / len(seats[side])",
        "shared = rating.variance",
        "tests/engine/ratings",
    ),
    # The write path of a sheet.
    Mutation(
        f"{SERVICES}/games/writing.py",
        "write.is_same is None or write.is_same(sheet, old)",
        "True",
        "tests/services/games",
    ),
    Mutation(
        f"{SERVICES}/games/writing.py",
        "if not directed.exists():\n            sentence",
        "if directed is None:\n            sentence",
        "tests/services/games",
    ),
    Mutation(
        f"{SERVICES}/games/writing.py",
        "if sheet.row.revision != context.revision + since:",
        "if sheet.row.revision < context.revision + since:",
        "tests/services/games",
    ),
    Mutation(
        "tournaments/models/games.py",
        'self._at("pen", public_id, secret).filter(AT_OPEN_ROUND)',
        'self._at("pen", public_id, secret)',
        "tests/models/test_permissions.py",
    ),
    # Clubs and people.
    Mutation(
        f"{SERVICES}/clubs/membership.py",
        "filter(role=Role.OWNER).exclude(pk=going.pk)",
        "filter(role=Role.OWNER)",
        "tests/services/clubs",
    ),
    Mutation(
        f"{SERVICES}/clubs/membership.py",
        "standing(at).filter(club=club).exclude(role=Role.MEMBER)",
        "standing(at).filter(club=club, role=Role.MEMBER)",
        "tests/services/clubs",
    ),
    Mutation(
        f"{SERVICES}/people/changes.py",
        '"", None, False',
        '"", player.account, False',
        "tests/services/people",
    ),
    Mutation(
        f"{SERVICES}/people/changes.py",
        "kind__in=(AuditEntry.Kind.EVENT, AuditEntry.Kind.ROLE)",
        "kind=AuditEntry.Kind.ROLE",
        "tests/services/people",
    ),
    Mutation(
        f"{SERVICES}/people/merging.py",
        'player.wrong_claims = 0\n        player.save(update_fields=["claim',
        'player.save(update_fields=["claim',
        "tests/services/people",
    ),
    # Tournaments and rounds.
    Mutation(
        f"{SERVICES}/rounds/running.py",
        "        rate_round_again(round_)\n        round_.closed_at,",
        "        round_.closed_at,",
        "tests/services/rounds",
    ),
    Mutation(
        f"{SERVICES}/rounds/running.py",
        "if stands != self.seen:",
        "if not self.seen:",
        "tests/services/rounds",
    ),
    Mutation(
        f"{SERVICES}/rounds/changes.py",
        "sitting - gone | _players_of",
        "sitting | _players_of",
        "tests/services/rounds",
    ),
    Mutation(
        f"{SERVICES}/rounds/changes.py",
        "state.entrants[name].come_in(number)",
        "pass",
        "tests/web/rounds/test_seating.py",
    ),
    Mutation(
        f"{SERVICES}/rounds/changes.py",
        "state.entrants[name].checked_in = 0",
        "pass",
        "tests/web/rounds/test_seating.py",
    ),
    Mutation(
        f"{SERVICES}/entrants/registration.py",
        "checked_in=joins_in if tournament.state == State.RUNNING else 0",
        "checked_in=0",
        "tests/web/rounds/test_seating.py",
    ),
    Mutation(
        f"{SERVICES}/rounds/seating.py",
        "number=number, **cards.get(number, {})",
        "number=number",
        "tests/web/rounds/test_seating.py",
    ),
    Mutation(
        f"{SERVICES}/rounds/seating.py",
        'if lost_with(round_)["entries"] != entries:',
        "if False:",
        "tests/web/rounds/test_seating.py",
    ),
    Mutation(
        f"{SERVICES}/tournaments/lifecycle.py",
        "if state == State.FINISHED:",
        "if state != State.REGISTRATION:",
        "tests/services/tournaments",
    ),
    Mutation(
        f"{SERVICES}/entrants/registration.py",
        "[replace(entry, house=False)]",
        "[entry]",
        "tests/services/entrants",
    ),
    Mutation(
        "tournaments/queries/steps.py",
        "joins_in__lte=number",
        "joins_in__lt=number",
        "tests/web/tournaments",
    ),
    Mutation(
        "tournaments/queries/steps.py",
        "joins_in__lte=number",
        "joins_in__lte=number + 1",
        "tests/web/tournaments",
    ),
    Mutation(
        "tournaments/models/events.py",
        '(Q(number__gte=_setting("rounds")) & Q(Exact(_setting("finals"), 0)))',
        "Q(pk=None)",
        "tests/models/test_permissions.py",
    ),
    Mutation(
        "tournaments/models/events.py",
        'Q(number=_setting("rounds"), closed_at=None)',
        "Q(pk=None)",
        "tests/models/test_permissions.py",
    ),
    Mutation(
        "tournaments/queries/tables.py",
        '"large": 0 < most < abs(',
        '"large": most < 0 < abs(',
        "tests/web/rounds",
    ),
    # Ratings and statistics.
    Mutation(
        f"{SERVICES}/ratings/computing.py",
        "filter(pk=club, in_server_ratings=True)",
        "filter(pk=club)",
        "tests/services/ratings",
    ),
    Mutation(
        "tournaments/queries/ratings.py",
        "return row.month < self._first_month",
        "return row.month <= self._first_month",
        "tests/queries",
    ),
    Mutation(
        "tournaments/queries/site.py",
        "if not houses or (event[0], player) not in houses:",
        "if players is not None:",
        "tests/web/statistics",
    ),
    # Webhooks, imports and backups.
    Mutation(
        f"{SERVICES}/webhooks/calling.py",
        "if not all(map(may_be_called, found)):",
        "if not any(map(may_be_called, found)):",
        "tests/services/webhooks",
    ),
    Mutation(
        f"{SERVICES}/webhooks/calling.py",
        "(name.encode(), moment.encode(), body)",
        "(name.encode(), body)",
        "tests/services/webhooks",
    ),
    Mutation(
        f"{SERVICES}/imports/results.py",
        "return [game for game in self.games if not game.there]",
        "return [*self.games]",
        "tests/services/imports",
    ),
    Mutation(
        f"{SERVICES}/backups/backups.py",
        "            if rows != table.rows:",
        "            if rows > table.rows:",
        "tests/services/backups",
    ),
    # Pages, documents and the API.
    Mutation(
        "tournaments/reports/books.py",
        "return games.results_visible_to(None)",
        "return games",
        "tests/reports",
    ),
    Mutation(
        "tournaments/web/base/pages.py", "rows[:TITLES_AT_MOST]", "rows[:1]", "tests/web/imports"
    ),
    Mutation(
        "tournaments/web/entrants/lists.py",
        "return same[0] if len(same) == 1 else question.chosen",
        "return question.chosen",
        "tests/web/entrants",
    ),
    Mutation(
        "tournaments/reports/spreadsheets.py",
        "escape_formulas(clean(text))",
        "clean(text)",
        "tests/reports",
    ),
    Mutation(
        "tournaments/permissions.py",
        "_tournament(Tournament.objects.directed_by(request.user)",
        "_tournament(Tournament.objects.seen_by(request.user)",
        "tests/web/test_access.py",
    ),
    Mutation(
        "tournaments/api/views.py",
        "        self.check_precondition(instance)\n        return instance",
        "        return instance",
        "tests/api/test_access.py",
    ),
    Mutation(
        "tournaments/api/access.py",
        "if needed is not None and needed not in request.auth.scopes:",
        "if False:",
        "tests/api",
    ),
    Mutation(
        "tournaments/api/filtering.py",
        "return beyond | (here & _after(queryset, rest)) if rest else beyond",
        "return beyond",
        "tests/api",
    ),
    Mutation(
        "tournaments/api/idempotency.py",
        "            record.delete()",
        "            record.save()",
        "tests/api",
    ),
    Mutation(
        "kingscore/sign_in.py", "if user and user.pk in accounts:", "if user:", "tests/web/accounts"
    ),
)


def found_by(mutation: Mutation, copy: Path, marker: str) -> str:
    """The first test with the marker that fails with the bug; "" if none does."""
    words = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-m", marker]
    words += mutation.tests.split()
    with started(FORGETFUL) if "_together" in mutation.tests else nullcontext() as postgres:
        url = {"KINGSCORE_DATABASE_URL": postgres[1].url()} if postgres else {}
        environment = {**os.environ, **url}
        run = subprocess.run(
            words, cwd=copy, env=environment, capture_output=True, text=True, check=False
        )
    # 5: no test has this marker.
    if run.returncode not in (0, 1, 5):
        raise RuntimeError(f"pytest left with {run.returncode} for {mutation.tests}: {run.stdout}")
    return FAILED.findall(run.stdout)[0] if run.returncode == 1 else ""


def main(*below: str) -> int:
    """1 if a bug is not found."""
    found = {"not slow": 0, "slow": 0, "": 0}
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder, "project"), ignore=LEFT_BEHIND)
        for mutation in MUTATIONS:
            if below and not mutation.file.startswith(below):
                continue
            file = copy / mutation.file
            right = file.read_text()
            if right.count(mutation.old) != 1:
                raise ValueError(f"not once in {mutation.file}: {mutation.old}")
            file.write_text(right.replace(mutation.old, mutation.new))
            by, test = "", ""
            for marker in ("not slow", "slow"):
                if test := found_by(mutation, copy, marker):
                    by = marker
                    break
            file.write_text(right)
            found[by] += 1
            print(f"{test or 'NOT FOUND'}  {mutation.file}: {mutation.new!r}", flush=True)
    print(f"{found['not slow']} by `make test`, {found['slow']} by the rest, {found['']} not found")
    return int(bool(found[""]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
