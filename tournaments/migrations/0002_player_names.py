from django.db import migrations


def find_names_fast(apps, schema_editor):
    """Find any part of a name among a million at once, where PostgreSQL can.

    Without the extension, which comes with PostgreSQL and needs the right to create, names are
    found by reading them all.
    """
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')"
            " OR (has_database_privilege(current_database(), 'CREATE')"
            " AND EXISTS (SELECT FROM pg_available_extension_versions"
            " WHERE name = 'pg_trgm' AND (trusted OR NOT superuser"
            " OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))))"
        )
        if cursor.fetchone()[0]:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            cursor.execute(
                "CREATE INDEX IF NOT EXISTS player_name_parts ON tournaments_player"
                " USING gin (search_key gin_trgm_ops)"
            )


def find_names_slowly(apps, schema_editor):
    """Take the index away; the extension may be others', too."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX IF EXISTS player_name_parts")


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0001_initial"),
    ]

    operations = [migrations.RunPython(find_names_fast, find_names_slowly)]
