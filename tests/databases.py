"""What the second run, on another database, leaves out: `pytest --second-database`."""

from pathlib import Path

TESTS = Path(__file__).parent

NO_DATABASE = (
    *("engine", "checking/test_worker.py", "reports/test_binding.py"),
    *("reports/test_empty_sheet.py", "reports/test_page_family.py", "reports/test_scoresheet.py"),
    *("reports/test_sheets_of_all_games.py", "reports/test_spreadsheets.py"),
    *("reports/test_worker.py", "test_broker.py", "test_mail.py", "test_settings.py"),
    *("test_translations.py", "test_up.py", "test_words.py", "web/importing/test_reading.py"),
)
"""These know no database, or bring their own."""

PAGES_WITHOUT_QUERIES = ("web/deals", "web/rules", "web/scoring", "web/tables")
"""Pages of one game and its rules. Their views fetch single rows through the models and call what
the tests of models, queries and services ask on both databases; the walk through all pages in
`web/test_access.py` opens them on both, too."""

BROWSER = ("browser",)
"""What pages do in Chromium; what they do with a database, `web` and `api` ask."""

LEFT_OUT = {TESTS / path for path in (*NO_DATABASE, *PAGES_WITHOUT_QUERIES, *BROWSER)}
