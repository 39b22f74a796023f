"""What the second run, on another database, leaves out: `pytest --second-database`."""

from pathlib import Path

TESTS = Path(__file__).parent

NO_DATABASE = (
    *("engine", "checking/test_worker.py", "production", "reports/test_binding.py"),
    *("backups/test_refused.py", "backups/test_systemd.py", "test_benchmarks.py"),
    *("reports/test_empty_sheet.py", "reports/test_page_family.py", "reports/test_scoresheet.py"),
    *("reports/test_sheets_of_all_games.py", "reports/test_spreadsheets.py"),
    *("reports/test_worker.py", "running/test_metrics.py", "test_broker.py", "test_mail.py"),
    *("test_looks.py", "test_new_game.py", "test_settings.py"),
    *("test_translations.py", "test_up.py", "test_words.py", "web/importing/test_reading.py"),
)
"""These know no database, or bring their own."""

PAGES_WITHOUT_QUERIES = ("web/deals", "web/rules", "web/scoring", "web/tables")
"""Pages of one game and its rules. Their views fetch single rows through the models and call what
the tests of models, queries and services ask on both databases; the walk through all pages in
`web/test_access.py` opens them on both, too."""

PAGES_ASKED_BY_THE_WALK = (
    *("web/documents", "web/entrants", "web/importing", "web/rounds", "web/tournaments"),
    *("web/webhooks", "web/clubs/test_accounts.py", "web/clubs/test_club_logo.py"),
    *("web/clubs/test_clubs.py", "web/clubs/test_members.py", "web/clubs/test_tokens.py"),
    *("web/people/test_claiming.py", "web/people/test_player_page.py"),
    *("web/ratings/test_curve_view.py", "web/ratings/test_predictions.py"),
    *("web/ratings/test_rated_games.py", "web/ratings/test_ratings_seen.py"),
)
"""Pages whose views at most choose rows and put them in order: the walk in `web/test_access.py`
asks every page for every visitor on both databases, and what they call is tested on both. Asked
again stay pages that search and filter, where words and their order differ between databases."""

PROGRAMS_ASKED_BY_THE_WALK = (
    *("api/test_description.py", "api/test_examples.py", "api/test_pages_covered.py"),
    *("api/changes/test_mirror.py", "api/clubs/test_members.py", "api/reference"),
    *(
        "api/games/test_replaying.py",
        "api/games/test_starting.py",
        "api/people/test_own_players.py",
    ),
    *("api/rounds/test_running.py", "api/rounds/test_seatings.py", "api/rules/test_rulesets.py"),
)
"""What programs do beyond the first file of each topic, by the same services: the walk in
`api/test_access.py` asks every address for every program on both databases, schemathesis too."""

BROWSER = ("browser",)
"""What pages do in Chromium; what they do with a database, `web` and `api` ask."""

ASKED_ONCE = (*PAGES_WITHOUT_QUERIES, *PAGES_ASKED_BY_THE_WALK, *PROGRAMS_ASKED_BY_THE_WALK)

WALKS = {TESTS / "web/test_access.py", TESTS / "api/test_access.py"}
VISITORS_OF_BOTH = ("nobody", "owner", "staff")
"""Who walks through all pages and addresses on both databases: who may do nothing, everything in
a club, and everything in the office. What sets the others apart from these are permissions, which
the tests of models ask of both."""

LEFT_OUT = {TESTS / path for path in (*NO_DATABASE, *ASKED_ONCE, *BROWSER)}


def is_asked_once(item):
    """Whether a test that is collected is a walk of somebody who walks on one database only."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return item.path in WALKS and params.get("who", "nobody") not in VISITORS_OF_BOTH
