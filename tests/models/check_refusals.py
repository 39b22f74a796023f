"""What the database refuses of checks and letters, by the name of the constraint."""

from tests.check_factories import CheckFactory, DifferenceFactory, LetterFactory
from tests.club_factories import AccountFactory
from tests.factories import ReportFactory


def two(factory, **same):
    """Two rows that share what is given."""
    factory(**same)
    factory(**same)


CHECKS_REFUSED = {
    "check_state_known": [lambda: CheckFactory(state="lost")],
    "check_done_has_an_end": [lambda: CheckFactory(state="done")],
    "difference_open_once": [lambda: two(DifferenceFactory, subject="game:1")],
    "difference_of_something": [lambda: DifferenceFactory(subject="")],
    "letter_once_about_a_thing": [lambda: two(LetterFactory, user=AccountFactory(), about="a")],
    "letter_with_report_carries_it": [lambda: LetterFactory(report=ReportFactory())],
}
