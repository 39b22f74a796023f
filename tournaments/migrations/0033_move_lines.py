"""Entries of the audit that say the same as a revision become that revision.

Each has its key and its number as before. An entry that says anything else stays as it is.
"""

from django.db import migrations

SPANS = """
INSERT INTO tournaments_feedspan (number, first, length)
SELECT min(number), min(id), count(*) FROM (
    SELECT id, number, sum(begins) OVER (ORDER BY number) AS span FROM (
        SELECT id, number, CASE
            WHEN id = 1 + lag(id) OVER (ORDER BY number)
            AND number = 1 + lag(number) OVER (ORDER BY number) THEN 0 ELSE 1
        END AS begins FROM tournaments_auditentry WHERE number IS NOT NULL
    ) AS each_line
) AS each_span GROUP BY span
"""

NEW = """
INSERT INTO tournaments_newline (id, told)
SELECT id, true FROM tournaments_auditentry WHERE number IS NULL
"""

# The same values as in `tournaments/models/audit_view.py` of this version.
SAME = """
CREATE TEMPORARY TABLE same_lines AS
SELECT line.id AS line, written.id AS revision, line.club_id, line.address,
    line."table" <> '' AS by_phone, {result} AS result
FROM tournaments_auditentry line
JOIN tournaments_game game ON game.public_id = substr(line.subject, 6)
JOIN tournaments_table at_table ON at_table.id = game.table_id
JOIN tournaments_round round ON round.id = at_table.round_id
JOIN tournaments_event event ON event.id = round.event_id
JOIN tournaments_revision written ON written.game_id = game.id
    AND written.kind = line.action AND written.at = line.at AND written.reason = line.reason
WHERE line.kind = 'result' AND line.subject LIKE 'game:%%'
    AND line.action IN ('entry', 'completion', 'reveal', 'correction', 'withdrawal')
    AND line.event_id = event.id AND line.club_id = event.club_id
    AND line."table" IN ('', at_table.public_id)
    AND line.user_id {same} written.user_id
    AND {result} IN ('', 'entered', 'corrected')
    AND {before} = {object}('position', written.position, 'body', {json}(
        CASE WHEN written.kind <> 'entry' THEN (
            SELECT earlier.body FROM tournaments_revision earlier
            WHERE earlier.game_id = written.game_id AND earlier.position = written.position
            AND earlier.revision < written.revision ORDER BY earlier.revision DESC LIMIT 1
        ) END
    ))
    AND {after} = {object}('position', written.position, 'body', {json}(written.body))
"""

JSON = {
    'postgresql': {
        'result': "coalesce(line.after->>'result', '')",
        'same': 'IS NOT DISTINCT FROM',
        'before': 'line.before',
        'after': "line.after - 'result'",
        'object': 'jsonb_build_object',
        'json': '',
    },
    'sqlite': {
        'result': "coalesce(json_extract(line.after, '$.result'), '')",
        'same': 'IS',
        'before': 'json(line.before)',
        'after': "json_remove(json(line.after), '$.result')",
        'object': 'json_object',
        'json': 'json',
    },
}

NOT_UNIQUE = """
DELETE FROM same_lines WHERE {name} IN (
    SELECT {name} FROM same_lines GROUP BY {name} HAVING count(*) > 1
)
"""

APART = 'UPDATE tournaments_revision SET id = -id'

MOVE = """
UPDATE tournaments_revision
SET id = same.line, club_id = same.club_id, address = same.address, by_phone = same.by_phone,
    result = same.result
FROM same_lines same WHERE tournaments_revision.id = -same.revision
"""

TAKEN = 'DELETE FROM tournaments_auditentry WHERE id IN (SELECT line FROM same_lines)'

OTHERS = 'UPDATE tournaments_revision SET id = %s - id WHERE id < 0'


def move(apps, schema_editor):
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        last = last_key(cursor)
        cursor.execute(SPANS)
        cursor.execute(NEW)
        # Parameters, so that both databases read two signs for one.
        cursor.execute(SAME.format(**JSON[connection.vendor]), [])
        for name in ('line', 'revision'):
            cursor.execute(NOT_UNIQUE.format(name=name))
        cursor.execute('CREATE INDEX same_revision ON same_lines (revision)')
        cursor.execute(APART)
        cursor.execute(MOVE)
        cursor.execute(TAKEN)
        cursor.execute(OTHERS, [last])
        cursor.execute('DROP TABLE same_lines')
        go_on_after(connection, cursor, last_key(cursor))
        if connection.vendor == 'postgresql':
            # Later migrations alter these tables.
            cursor.execute('SET CONSTRAINTS ALL IMMEDIATE')
            cursor.execute('SET CONSTRAINTS ALL DEFERRED')


def last_key(cursor):
    cursor.execute(
        'SELECT max(last) FROM (SELECT max(id) AS last FROM tournaments_auditentry'
        ' UNION ALL SELECT max(id) FROM tournaments_revision) AS both_tables'
    )
    return cursor.fetchone()[0] or 0


def go_on_after(connection, cursor, last):
    """Let new keys be above all there are, also above those of lines that were deleted."""
    if connection.vendor == 'postgresql':
        for table in ('auditentry', 'revision'):
            name = f"pg_get_serial_sequence('tournaments_{table}', 'id')::regclass"
            cursor.execute(f'SELECT pg_sequence_last_value({name})')
            last = max(last, cursor.fetchone()[0] or 0)
        if last:
            name = "pg_get_serial_sequence('tournaments_newline', 'id')::regclass"
            cursor.execute(f'SELECT setval({name}, %s)', [last])
        return
    named = "('tournaments_auditentry', 'tournaments_revision')"
    cursor.execute(f'SELECT max(seq) FROM sqlite_sequence WHERE name IN {named}')
    last = max(last, cursor.fetchone()[0] or 0)
    cursor.execute("DELETE FROM sqlite_sequence WHERE name = 'tournaments_newline'")
    cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('tournaments_newline', %s)", [last])


def refuse(apps, schema_editor):
    if apps.get_model('tournaments', 'Revision').objects.exists():
        raise RuntimeError('Entries of the audit are not made again: restore a backup instead.')


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0030_lines_of_revisions'),
    ]

    operations = [migrations.RunPython(move, refuse)]
