"""Plants bugs in a copy of the project, one at a time, and shows which test finds each.

`python -m tests.mutations` plants all, `python -m tests.mutations tournaments/api` those below.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from tests.postgres import FORGETFUL, started

ROOT = Path(__file__).resolve().parent.parent
LEFT_BEHIND = shutil.ignore_patterns(".*", "data*", "__pycache__")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


BUGS = """
tournaments/engine/play/games.py: tests/engine
- turns = len(self.deals) + self.passed
+ turns = len(self.deals)
- if sides[deal.declarer] == sides[seat]]
+ if deal.declarer == seat]
- sides[declarer] == sides[expected]
+ sides[declarer] != sides[expected]
- if redeal.by in range(game.ruleset.seats) and redeal.by != game.declarer:
+ if redeal.by in range(game.ruleset.seats) and redeal.by == game.declarer:
tournaments/engine/rules/scoring.py: tests/engine
- won[winner] = WON + cards[1 - winner]
+ won[winner] = WON + cards[winner]
tournaments/engine/rules/rulesets.py: tests/engine/rules/test_units.py
- "last_trick": ("tricks", "last_two"),
+ "last_trick": ("tricks",),
- if fewest is None or fewest > ALL_TRICKS:
+ if fewest is None:
- needed = [max(-(-n // seats), last) for
+ needed = [max(n // seats, last) for
- for units in written if len(units) > 1]
+ for units in written if len(units) > 2]
- zip(needed, tricks, strict=True)):
-                 continue
+ zip(needed, tricks, strict=True)):
+                 pass
tournaments/engine/rules/scoring.py: tests/engine/rules tests/engine/play tests/engine/variants
- won = Fraction(-sum(lost), left.count(0))
+ won = Fraction(-sum(lost), 1)
- if left[1 - closer] < ruleset.seats_in_a_side:
+ if left[1 - closer] < 1:
- settings["march_alone"] if alone else settings["march"]
+ settings["march"]
- weights = {"reserve": 2, "stock": 1, "waste": 1}
+ weights = {"reserve": 1, "stock": 1, "waste": 1}
- if sorted(places) != list(range(1, ruleset.side_count + 1)):
+ if len(places) != ruleset.side_count:
tournaments/engine/rules/scoring.py: tests/engine/rules/test_scoring.py
- room = inf if side_quota is None else side_quota * ruleset.side_count
+ room = inf if side_quota is None else side_quota
static/counts.js: tests/browser/test_pad.py
- const missing = (unit) => total(unit) - sum(numbersOf(unit));
+ const missing = (unit) => total(unit);
- if (left > 0) write(input, isTyped(input) ? number(input) + 1 : 1);
+ write(input, isTyped(input) ? number(input) + 1 : 1);
- return hasTotal(unit) ? missing(unit) === 0
+ return hasTotal(unit) ? true
static/outbox.js: tests/browser/test_pad.py tests/browser/test_open_table.py
- if (rest.length) rest[0].revision = seen;
+
static/typed.js: tests/browser/test_accounts.py
- if (isTick(field)) field.checked = ticked;
+
tournaments/services/games/writing.py: tests/services/games/test_games_together.py
- load_sheet(Game.objects.select_for_update().get(pk=game_pk))
+ load_sheet(Game.objects.get(pk=game_pk))
tournaments/services/rounds/rulings.py: tests/services/rounds/test_rounds_together.py
- row = Game.objects.select_for_update().get(pk=game_pk)
+ row = Game.objects.get(pk=game_pk)
tournaments/services/events/events.py: tests/services/games/test_games_together.py
- rows = Round.objects.select_for_update(of=("self",)).select_related("event__club")
+ rows = Round.objects.select_related("event__club")
tournaments/services/tournaments/lifecycle.py: tests/services/rounds/test_rounds_together.py
- rows = Tournament.objects.select_for_update(of=("self",)).select_related("event__club")
+ rows = Tournament.objects.select_related("event__club")
tournaments/services/games/seating.py: tests/services/games/test_games_together.py
- rows = PhoneTransfer.objects.select_for_update().valid_at(at)
+ rows = PhoneTransfer.objects.valid_at(at)
tournaments/engine/standings/results.py: tests/engine/standings
- if len(met) < len(tied) - 1:
+ if not met:
- return not game.was_played, game.table.ranks
+ return False, game.table.ranks
- if name in tallies and name not in instead:
+ if name in tallies:
tournaments/engine/standings/standings.py: tests/engine/standings
- names if row % 2 == 0 else names[::-1]
+ names
- 1 + sum(key < keys[name] for key in keys.values()) for name in order
+ 1 + at for at, name in enumerate(order)
tournaments/engine/pairing/search.py: tests/engine/pairing
- if point < count - self.fixed
+ if point <= count - self.fixed
tournaments/engine/ratings/ratings.py: tests/engine/ratings
- min(self.start, self.variance + drift * max(0.0, days))
+ self.variance + drift * max(0.0, days)
- shared = rating.variance / len(seats[side])
+ shared = rating.variance
tournaments/services/games/writing.py: tests/services/games
- write.is_same is None or write.is_same(sheet, old)
+ True
- if not directed.exists():
-             sentence
+ if directed is None:
+             sentence
- if sheet.row.revision != context.revision + since:
+ if sheet.row.revision < context.revision + since:
tournaments/models/games.py: tests/models/test_permissions.py
- self._at("pen", public_id, secret).filter(AT_OPEN_ROUND)
+ self._at("pen", public_id, secret)
tournaments/services/clubs/membership.py: tests/web/people
- filter(role=Role.OWNER).exclude(pk=going.pk)
+ filter(role=Role.OWNER)
tournaments/services/clubs/membership.py: tests/services/clubs
- standing(at).filter(club=club).exclude(role=Role.MEMBER)
+ standing(at).filter(club=club, role=Role.MEMBER)
tournaments/services/people/changes.py: tests/services/people
- "", None, False
+ "", player.account, False
- kind__in=(AuditEntry.Kind.EVENT, AuditEntry.Kind.ROLE)
+ kind=AuditEntry.Kind.ROLE
tournaments/services/people/merging.py: tests/services/people
- player.wrong_claims = 0
-         player.save(update_fields=["claim
+ player.save(update_fields=["claim
tournaments/services/rounds/running.py: tests/services/rounds
-         rate_round_again(round_)
-         round_.closed_at,
+         round_.closed_at,
- if stands != self.seen:
+ if not self.seen:
tournaments/services/rounds/changes.py: tests/services/rounds
- sitting - gone | _players_of
+ sitting | _players_of
tournaments/services/rounds/changes.py: tests/web/rounds/test_seating.py
- state.entrants[name].come_in(number)
+ pass
- state.entrants[name].checked_in = 0
+ pass
tournaments/services/entrants/registration.py: tests/web/rounds/test_seating.py
- checked_in=joins_in if tournament.state == State.RUNNING else 0
+ checked_in=0
tournaments/services/rounds/seating.py: tests/web/rounds/test_seating.py
- number=number, **cards.get(number, {})
+ number=number
- if lost_with(round_)["entries"] != entries:
+ if False:
tournaments/services/tournaments/lifecycle.py: tests/services/tournaments
- if state == State.FINISHED:
+ if state != State.REGISTRATION:
tournaments/services/entrants/registration.py: tests/services/entrants
- [replace(entry, house=False)]
+ [entry]
tournaments/queries/steps.py: tests/web/tournaments
- joins_in__lte=number
+ joins_in__lt=number
- joins_in__lte=number
+ joins_in__lte=number + 1
tournaments/models/events.py: tests/models/test_permissions.py
- (Q(number__gte=_setting("rounds")) & Q(Exact(_setting("finals"), 0)))
+ Q(pk=None)
- Q(number=_setting("rounds"), closed_at=None)
+ Q(pk=None)
tournaments/queries/tables.py: tests/web/rounds
- "large": 0 < most < abs(
+ "large": most < 0 < abs(
tournaments/services/ratings/computing.py: tests/services/ratings
- filter(pk=club, in_server_ratings=True)
+ filter(pk=club)
tournaments/queries/ratings.py: tests/queries
- return row.month < self._first_month
+ return row.month <= self._first_month
tournaments/queries/site.py: tests/web/statistics
- if not houses or (event[0], player) not in houses:
+ if players is not None:
tournaments/services/webhooks/calling.py: tests/services/webhooks
- if not all(map(may_be_called, found)):
+ if not any(map(may_be_called, found)):
- (name.encode(), moment.encode(), body)
+ (name.encode(), body)
tournaments/services/imports/results.py: tests/services/imports
- return [game for game in self.games if not game.there]
+ return [*self.games]
tournaments/services/backups/backups.py: tests/services/backups
-             if rows != table.rows:
+             if rows > table.rows:
tournaments/reports/books.py: tests/reports
- return games.results_visible_to(None)
+ return games
tournaments/web/base/pages.py: tests/web/imports
- rows[:TITLES_AT_MOST]
+ rows[:1]
tournaments/web/entrants/lists.py: tests/web/entrants
- return same[0] if len(same) == 1 else question.chosen
+ return question.chosen
tournaments/reports/spreadsheets.py: tests/reports
- escape_formulas(clean(text))
+ clean(text)
tournaments/permissions.py: tests/web/test_access.py
- _tournament(Tournament.objects.directed_by(request.user)
+ _tournament(Tournament.objects.seen_by(request.user)
tournaments/api/views.py: tests/api/test_access.py
-         self.check_precondition(instance)
-         return instance
+         return instance
tournaments/api/access.py: tests/api
- if needed is not None and needed not in request.auth.scopes:
+ if False:
tournaments/api/filtering.py: tests/api
- return beyond | (here & _after(queryset, rest)) if rest else beyond
+ return beyond
tournaments/api/idempotency.py: tests/api
-             record.delete()
+             record.save()
kingscore/sign_in.py: tests/web/accounts
- if user and user.pk in accounts:
+ if user:
"""
"""Files, each with the paths of the tests that fail with a bug in it; then a piece of it, which is
there once, and what stands in its place. Locks are found by races on PostgreSQL."""

PIECE = re.compile(r"((?:^-.*\n)+)((?:^\+.*\n)+)", re.MULTILINE)


class Mutation(NamedTuple):
    file: str
    tests: str
    old: str
    new: str


def mutations() -> Iterator[Mutation]:
    for file, tests, pieces in re.findall(r"^(\w\S+): (.+)\n((?:[-+].*\n)+)", BUGS, re.MULTILINE):
        for piece in PIECE.findall(pieces):
            old, new = ("\n".join(line[2:] for line in part.splitlines()) for part in piece)
            yield Mutation(file, tests, old, new)


MUTATIONS = tuple(mutations())


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
