"""What the log of a table takes, kind by kind."""

import pytest
from django.db import IntegrityError

from tests.factories import WriteFactory
from tournaments.models import Write

pytestmark = pytest.mark.django_db

OF_AN_ENTRY = [Write.Kind.ENTRY, Write.Kind.COMPLETION, Write.Kind.REVEAL, Write.Kind.CORRECTION]


@pytest.mark.parametrize("kind", OF_AN_ENTRY)
def test_version_of_an_entry_has_a_position_and_a_body(kind):
    assert WriteFactory(kind=kind).pk


@pytest.mark.parametrize("kind", OF_AN_ENTRY)
@pytest.mark.parametrize(
    ("missing", "constraint"),
    [("position", "write_position_unless_head"), ("body", "write_body_unless_withdrawal")],
)
def test_version_of_an_entry_without_one_of_them_is_refused(kind, missing, constraint):
    with pytest.raises(IntegrityError, match=constraint):
        WriteFactory(kind=kind, **{missing: None})
