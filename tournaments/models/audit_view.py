"""The view that `AuditEntry` reads: stored audit entries, and rows of sheets as entries.

It is dropped before migrations and created again after them, so that they can alter its tables. A
change of the view needs a migration too, which may be empty.
Each part reads one table without a condition, and its columns are of the same types: so both
databases read each part in the order of its index, and stop at the end of a page.
"""

from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

NUMBER = """(
    SELECT CASE WHEN line.id < span.first + span.length THEN span.number + line.id - span.first END
    FROM tournaments_feedspan span WHERE span.first <= line.id ORDER BY span.first DESC LIMIT 1
)"""

AT_TABLE = """
    tournaments_game game JOIN tournaments_table at_table ON at_table.id = game.table_id
    JOIN tournaments_round round ON round.id = at_table.round_id WHERE game.id = line.game_id
"""

BODY = "CASE WHEN line.kind = 'head' THEN {read}(line.body) ELSE {typed} END"

STOOD = """
    SELECT {typed} FROM tournaments_revision earlier
    WHERE earlier.game_id = line.game_id AND earlier.position = line.position
    AND earlier.revision < line.revision ORDER BY earlier.revision DESC LIMIT 1
"""

VIEW = """
CREATE VIEW tournaments_auditline AS
SELECT line.id, {number} AS number, line.club_id, line.event_id, true AS stored,
    line.at, line.kind, line.action, line.subject,
    line.user_id, line."table", line.address,
    CAST({read}(line.before) AS {type}) AS before, CAST({read}(line.after) AS {type}) AS after,
    line.reason
FROM tournaments_auditentry line
UNION ALL
SELECT line.id, {number}, line.club_id, (SELECT round.event_id FROM {at_table}), false,
    line.at, CAST('result' AS varchar), line.kind,
    CAST('game:' || (
        SELECT game.public_id FROM tournaments_game game WHERE game.id = line.game_id
    ) AS varchar),
    line.user_id, CAST(
        CASE WHEN line.by_phone THEN (SELECT at_table.public_id FROM {at_table}) ELSE '' END
    AS varchar),
    line.address,
    CAST({object}('position', line.position, 'body',
        {read}(CASE WHEN line.kind <> 'entry' THEN ({stood}) END)) AS {type}),
    CAST(CASE WHEN line.result = ''
        THEN {object}('position', line.position, 'body', {body})
        ELSE {object}('position', line.position, 'body', {body}, 'result', line.result)
    END AS {type}),
    line.reason
FROM tournaments_revision line
UNION ALL
SELECT line.id, {number}, line.club_id, (SELECT round.event_id FROM {at_table}), false,
    line.at, CAST('result' AS varchar), CAST('confirm' AS varchar),
    CAST('game:' || (
        SELECT game.public_id FROM tournaments_game game WHERE game.id = line.game_id
    ) AS varchar),
    line.user_id, CAST(
        CASE WHEN line.by_phone THEN (SELECT at_table.public_id FROM {at_table}) ELSE '' END
    AS varchar),
    line.address,
    CAST(NULL AS {type}),
    CAST({object}('seat', line.seat, 'player', line.player, 'revision', line.revision) AS {type}),
    CAST('' AS varchar)
FROM tournaments_confirmation line
"""

JSON = {
    "postgresql": {
        "type": "jsonb",
        "object": "jsonb_build_object",
        "read": "to_jsonb",
        # Of two values of a name the last one stays.
        "typed": "jsonb_build_object('type', 'deal') || to_jsonb({0}.body)",
    },
    "sqlite": {
        "type": "text",
        "object": "json_object",
        "read": "json",
        "typed": "json_insert({0}.body, '$.type', 'deal')",
    },
}
"""The type of JSON, and what makes an object, reads a column, and adds the type of a deal."""


def drop_before(plan: Sequence[Any], using: str = DEFAULT_DB_ALIAS, **_signal: Any) -> None:
    """Drop the view if there is anything to migrate; others may be reading it."""
    if plan:
        drop_view(using)


def drop_view(using: str = DEFAULT_DB_ALIAS) -> None:
    """Drop the view, if it exists."""
    with connections[using].cursor() as cursor:
        cursor.execute("DROP VIEW IF EXISTS tournaments_auditline")


def create_view(using: str = DEFAULT_DB_ALIAS, **_signal: Any) -> None:
    """Create the view, unless it exists or its tables are those of an older version."""
    connection = connections[using]
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor, include_views=True)
        if "tournaments_feedspan" in names and "tournaments_auditline" not in names:
            cursor.execute(statement(connection.vendor))


def statement(vendor: str) -> str:
    """Return the statement that creates the view."""
    json = JSON[vendor]
    stood = STOOD.format(typed=json["typed"].format("earlier"))
    body = BODY.format(read=json["read"], typed=json["typed"].format("line"))
    return VIEW.format(number=NUMBER, at_table=AT_TABLE, stood=stood, body=body, **json)
