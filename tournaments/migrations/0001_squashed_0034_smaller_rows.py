import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import tournaments.models.fields


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
    """All tables of 0.2.0, the first release. Databases that have all it replaces go on with it."""

    initial = True

    replaces = [
        ("tournaments", "0001_initial"),
        ("tournaments", "0002_player_names"),
        ("tournaments", "0003_event_venue"),
        ("tournaments", "0004_tournament_cards"),
        ("tournaments", "0005_tournament_cancelled"),
        ("tournaments", "0006_start_and_waiting_list"),
        ("tournaments", "0007_deal_confirmations"),
        ("tournaments", "0008_sections"),
        ("tournaments", "0009_line_ups"),
        ("tournaments", "0010_open_tables"),
        ("tournaments", "0011_tables_of_open_games"),
        ("tournaments", "0012_no_rematch_of"),
        ("tournaments", "0013_game_resting"),
        ("tournaments", "0014_evening_document"),
        ("tournaments", "0015_phone_tables"),
        ("tournaments", "0016_pictures"),
        ("tournaments", "0017_rating_constants"),
        ("tournaments", "0018_draws"),
        ("tournaments", "0019_joined_names"),
        ("tournaments", "0020_rating_calibration"),
        ("tournaments", "0021_phone_seats"),
        ("tournaments", "0022_digests"),
        ("tournaments", "0023_calendar"),
        ("tournaments", "0024_rating_change_indexes"),
        ("tournaments", "0026_notifications"),
        ("tournaments", "0029_doubled_indexes"),
        ("tournaments", "0030_lines_of_revisions"),
        ("tournaments", "0033_move_lines"),
        ("tournaments", "0034_smaller_rows"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("result", "Result"),
                            ("player", "Player"),
                            ("role", "Role"),
                            ("settings", "Settings"),
                            ("event", "Event"),
                        ],
                        max_length=8,
                    ),
                ),
                ("action", models.CharField(max_length=20)),
                ("subject", models.CharField(blank=True, max_length=40)),
                ("table", models.CharField(blank=True, max_length=16)),
                ("address", models.GenericIPAddressField(blank=True, null=True)),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("number", models.PositiveBigIntegerField(null=True)),
                ("stored", models.BooleanField()),
            ],
            options={
                "db_table": "tournaments_auditline",
                "ordering": ["-pk"],
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="Backup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("began_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField()),
                ("rows", models.PositiveBigIntegerField()),
                ("size", models.PositiveBigIntegerField()),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Check",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("night", models.DateField(unique=True)),
                ("games", models.PositiveIntegerField(default=0)),
                ("rows", models.PositiveIntegerField(default=0)),
                ("found", models.PositiveIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=200)),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-night"],
            },
        ),
        migrations.CreateModel(
            name="NewLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("told", models.BooleanField(default=True)),
            ],
        ),
        migrations.CreateModel(
            name="PhoneTransfer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                ("games", models.JSONField()),
                ("joined", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "last_login",
                    models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                ),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                (
                    "first_name",
                    models.CharField(blank=True, max_length=150, verbose_name="first name"),
                ),
                (
                    "last_name",
                    models.CharField(blank=True, max_length=150, verbose_name="last name"),
                ),
                (
                    "email",
                    models.EmailField(blank=True, max_length=254, verbose_name="email address"),
                ),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(
                        default=django.utils.timezone.now, verbose_name="date joined"
                    ),
                ),
                ("wrong_claims", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("wrong_claims_since", models.DateTimeField(blank=True, editable=False, null=True)),
                ("language", models.CharField(blank=True, editable=False, max_length=8)),
                ("joined_names", models.JSONField(default=dict, editable=False)),
                ("calendar_generation", models.PositiveIntegerField(default=1, editable=False)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="ChangeFeed",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("last", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="feed_is_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="Club",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=40, unique=True)),
                ("name", models.CharField(max_length=80)),
                ("published", models.BooleanField(default=False)),
                ("table_codes", models.BooleanField(default=False)),
                (
                    "confirmations",
                    models.CharField(
                        choices=[("none", "None"), ("two", "Two"), ("all", "All")],
                        default="none",
                        max_length=4,
                    ),
                ),
                ("rates_evenings", models.BooleanField(default=False)),
                ("in_server_ratings", models.BooleanField(default=False)),
                ("logo", models.FileField(blank=True, upload_to="logos/")),
                (
                    "paper",
                    models.CharField(
                        choices=[("a4", "A4"), ("us-letter", "Letter")], default="a4", max_length=9
                    ),
                ),
                ("month_mailed", models.DateField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["name", "pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="club_has_a_slug"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="club_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("confirmations__in", ["none", "two", "all"])),
                        name="club_confirmations_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("paper__in", ["a4", "us-letter"])),
                        name="club_paper_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("held_on", models.DateField()),
                ("starts_at", models.CharField(blank=True, max_length=5)),
                ("venue", models.CharField(blank=True, max_length=100)),
                ("ruleset", models.CharField(max_length=40)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("published", models.BooleanField(default=False)),
                ("table_codes", models.BooleanField(default=False)),
                (
                    "confirmations",
                    models.CharField(
                        choices=[("none", "None"), ("two", "Two"), ("all", "All")],
                        default="none",
                        max_length=4,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "start_key",
                    models.CharField(blank=True, editable=False, max_length=64, null=True),
                ),
                (
                    "club",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="tournaments.club",
                    ),
                ),
            ],
            options={
                "ordering": ["-held_on", "-pk"],
                "indexes": [models.Index(fields=["club", "-held_on", "-id"], name="event_of_club")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="event_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("confirmations__in", ["none", "two", "all"])),
                        name="event_confirmations_known",
                    ),
                    models.UniqueConstraint(fields=("start_key",), name="event_one_per_start_key"),
                ],
            },
        ),
        migrations.CreateModel(
            name="FeedSpan",
            fields=[
                ("number", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ("first", models.PositiveBigIntegerField(unique=True)),
                ("length", models.PositiveBigIntegerField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("length__gte", 1)), name="span_not_empty"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotencyRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("request", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("headers", models.JSONField(default=dict)),
                ("body", models.BinaryField(default=bytes)),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["at"], name="answer_by_age")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("key", ""), _negated=True), name="answer_key_not_empty"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "length",
                    models.CharField(
                        choices=[("best-of", "Best Of"), ("first-to", "First To")], max_length=10
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "matches",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("length__in", ["best-of", "first-to"])),
                        name="match_length_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="match_of_one_game_or_more"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="OpenTable",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("generation", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("generation__gte", 1)),
                        name="open_table_generation_from_one",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Game",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("ruleset", models.CharField(max_length=40)),
                ("document", models.JSONField(blank=True, null=True)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("players", models.JSONField()),
                ("first_declarer", models.PositiveSmallIntegerField(default=0)),
                ("title", models.CharField(blank=True, max_length=80)),
                ("place", models.CharField(blank=True, max_length=80)),
                ("played_at", models.DateTimeField()),
                ("revision", models.PositiveIntegerField(default=0)),
                ("write_generation", models.PositiveIntegerField(default=1)),
                ("follow_generation", models.PositiveIntegerField(default=1)),
                (
                    "start_key",
                    models.CharField(blank=True, editable=False, max_length=64, null=True),
                ),
                ("taken_with", models.CharField(blank=True, editable=False, max_length=64)),
                ("taken_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("result", models.JSONField(blank=True, editable=False, null=True)),
                ("digest", models.CharField(blank=True, editable=False, max_length=64)),
                ("match_number", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("number", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("resting", models.JSONField(blank=True, default=list)),
                ("phones", models.JSONField(blank=True, default=list, editable=False)),
                (
                    "match",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="games",
                        to="tournaments.match",
                    ),
                ),
                (
                    "open_table",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="games",
                        to="tournaments.opentable",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("digest", ""), _negated=True),
                        fields=["digest"],
                        name="game_by_digest",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("write_generation__gte", 1), ("follow_generation__gte", 1)
                        ),
                        name="game_generations_from_one",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("first_declarer__lt", 4)),
                        name="game_first_declarer_is_a_seat",
                    ),
                    models.UniqueConstraint(fields=("start_key",), name="game_one_per_start_key"),
                    models.UniqueConstraint(
                        fields=("match", "match_number"), name="game_one_per_number"
                    ),
                    models.UniqueConstraint(
                        fields=("open_table", "number"), name="game_one_per_number_at_table"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("number__isnull", True), ("open_table__isnull", True)),
                            models.Q(
                                ("number__gte", 1),
                                ("number__isnull", False),
                                ("open_table__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="game_number_at_its_table",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("match__isnull", True), ("match_number__isnull", True)),
                            models.Q(
                                ("match__isnull", False),
                                ("match_number__gte", 1),
                                ("match_number__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="game_number_in_its_match",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=80)),
                ("name_key", models.CharField(blank=True, editable=False, max_length=240)),
                ("search_key", models.CharField(blank=True, editable=False, max_length=160)),
                ("initials", models.BooleanField(default=False)),
                ("claim_generation", models.PositiveIntegerField(default=1)),
                ("wrong_claims", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="players",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="players",
                        to="tournaments.club",
                    ),
                ),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged",
                        to="tournaments.player",
                    ),
                ),
            ],
            options={
                "ordering": ["name_key", "pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("merged_into", None), ("removed_at", None)),
                        fields=[
                            "club",
                            "name_key",
                            "search_key",
                            "initials",
                            "merged_into",
                            "removed_at",
                        ],
                        name="player_present",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("removed_at", None)),
                        fields=("club", "name_key"),
                        name="player_one_per_name",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("account__isnull", False)),
                        fields=("club", "account"),
                        name="player_one_per_account",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(models.Q(("name", ""), _negated=True), ("removed_at", None)),
                            models.Q(
                                ("account", None), ("name", ""), ("removed_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="player_named_until_removed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("merged_into", None), ("account", None), _connector="OR"
                        ),
                        name="player_merged_no_account",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Merge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seats", models.JSONField()),
                ("entrants", models.JSONField(default=dict)),
                ("account_moved", models.BooleanField()),
                ("initials_taken", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "gone",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged_away",
                        to="tournaments.player",
                    ),
                ),
                (
                    "kept",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merges",
                        to="tournaments.player",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("undone_at", None)),
                        fields=("gone",),
                        name="merge_one_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kept", models.F("gone")), _negated=True),
                        name="merge_of_two",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Entrant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("team", models.CharField(blank=True, max_length=80)),
                ("section", models.CharField(blank=True, max_length=1)),
                ("represents", models.CharField(blank=True, max_length=80)),
                ("house", models.BooleanField(default=False)),
                ("waiting", models.BooleanField(default=False)),
                ("paid", models.BooleanField(default=False)),
                ("joins_in", models.PositiveSmallIntegerField(default=1)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("checked_in", models.PositiveSmallIntegerField(default=0)),
                ("registered_at", models.DateTimeField()),
                (
                    "partner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries_as_partner",
                        to="tournaments.player",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="tournaments.player",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("partner", None),
                            models.Q(("partner", models.F("player")), _negated=True),
                            _connector="OR",
                        ),
                        name="entrant_pair_of_two",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1), ("joins_in__gte", 1)),
                        name="entrant_numbers_from_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayerRating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("person", models.CharField(max_length=24)),
                ("mean", models.FloatField()),
                ("variance", models.FloatField()),
                ("start", models.FloatField(default=11236.0)),
                ("games", models.PositiveIntegerField()),
                ("last_at", models.DateTimeField()),
                ("points", models.IntegerField()),
                ("month", models.PositiveIntegerField()),
                ("provisional", models.BooleanField()),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ratings",
                        to="tournaments.player",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("games__gte", 1)), name="rating_after_a_game"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("variance__gt", 0)), name="rating_never_certain"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("number", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("mean_before", models.FloatField()),
                ("variance_before", models.FloatField()),
                ("mean", models.FloatField()),
                ("variance", models.FloatField()),
                (
                    "game",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rating_changes",
                        to="tournaments.game",
                    ),
                ),
                (
                    "rating",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="tournaments.playerrating",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "indexes": [models.Index(fields=["at"], name="rating_change_at")],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("rating"), models.F("number"), name="rating_change_numbered"
                    ),
                    models.UniqueConstraint(
                        models.F("game"), models.F("rating"), name="rating_change_one_per_game"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("seat__lt", 4)), name="rating_change_at_a_seat"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="rating_change_from_one"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingDue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField()),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tournaments.club",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RatingLedger",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("model", models.CharField(blank=True, max_length=40)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("pk", 1)), name="rating_ledger_is_one"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingPool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("family", models.CharField(max_length=40)),
                ("version", models.PositiveIntegerField(default=0)),
                ("start", models.FloatField(default=11236.0)),
                ("luck", models.JSONField(default=dict)),
                ("fitted_at", models.DateTimeField(null=True)),
                ("fitted_games", models.PositiveIntegerField(default=0)),
                ("calibration", models.JSONField(null=True)),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rating_pools",
                        to="tournaments.club",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("club", "family"), name="rating_pool_one_per_club"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("club", None)),
                        fields=("family",),
                        name="rating_pool_one_of_server",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("family", ""), _negated=True),
                        name="rating_pool_has_a_family",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("start__gt", 0)), name="rating_pool_of_some_strengths"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("points", models.IntegerField()),
                ("month", models.PositiveIntegerField()),
                ("provisional", models.BooleanField()),
                ("ratings", models.PositiveIntegerField()),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counts",
                        to="tournaments.ratingpool",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["pool", "-points", "month", "provisional", "ratings"],
                        name="rating_count_leaderboard",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pool", "points", "month", "provisional"), name="rating_count_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ratings__gte", 1)), name="rating_count_of_some"
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="playerrating",
            name="pool",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="ratings",
                to="tournaments.ratingpool",
            ),
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("scoresheet", "Scoresheet"),
                            ("empty-sheet", "Empty Sheet"),
                            ("evening", "Evening"),
                            ("sheets", "Sheets"),
                            ("table-cards", "Table Cards"),
                            ("name-badges", "Name Badges"),
                            ("seating-by-table", "Seating By Table"),
                            ("seating-by-name", "Seating By Name"),
                            ("standings", "Standings"),
                            ("cross-table", "Cross Table"),
                            ("booklet", "Booklet"),
                            ("certificates", "Certificates"),
                            ("player-season", "Player Season"),
                            ("club-month", "Club Month"),
                            ("picture", "Picture"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "format",
                    models.CharField(
                        choices=[
                            ("pdf", "Pdf"),
                            ("xlsx", "Xlsx"),
                            ("csv", "Csv"),
                            ("json", "Json"),
                            ("png", "Png"),
                        ],
                        default="pdf",
                        max_length=4,
                    ),
                ),
                (
                    "paper",
                    models.CharField(
                        choices=[("a4", "A4"), ("us-letter", "Letter")], default="a4", max_length=9
                    ),
                ),
                ("language", models.CharField(max_length=8)),
                ("parameters", models.JSONField(default=dict)),
                (
                    "audience",
                    models.CharField(
                        choices=[
                            ("address", "Address"),
                            ("visitors", "Visitors"),
                            ("members", "Members"),
                            ("directors", "Directors"),
                        ],
                        default="address",
                        max_length=9,
                    ),
                ),
                ("content_key", models.CharField(max_length=64, null=True, unique=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("building", "Building"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("step", models.PositiveSmallIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("builder", models.CharField(blank=True, editable=False, max_length=32)),
                ("file", models.FileField(blank=True, upload_to="reports/")),
                ("error", models.CharField(blank=True, max_length=200)),
                ("asked_at", models.DateTimeField()),
                ("touched_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="tournaments.club",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="tournaments.event",
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="tournaments.game",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="tournaments.player",
                    ),
                ),
                (
                    "same_as",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="twins",
                        to="tournaments.report",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["state", "touched_at"], name="report_queue"),
                    models.Index(fields=["expires_at"], name="report_expiry"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["waiting", "building", "done", "failed", "cancelled"])
                        ),
                        name="report_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            models.Q(("file", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="report_done_has_file",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("format__in", ["pdf", "xlsx", "csv", "json", "png"])),
                        name="report_format_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("paper__in", ["a4", "us-letter"])),
                        name="report_paper_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("audience", "address"),
                            models.Q(
                                ("audience", "visitors"),
                                ("club__isnull", False),
                                ("event__isnull", False),
                            ),
                            models.Q(
                                ("audience__in", ["members", "directors"]), ("club__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="report_audience_belongs_to_a_club",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("done__lte", models.F("total"))),
                        name="report_done_within_total",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Email",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("about", models.CharField(max_length=60)),
                ("subject", models.CharField(max_length=200)),
                ("body", models.TextField()),
                ("carries", models.BooleanField(default=False)),
                ("unsubscribe", models.CharField(blank=True, max_length=300)),
                ("written_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="emails",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="emails",
                        to="tournaments.report",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("sent_at", None)),
                        fields=["written_at"],
                        name="email_not_sent",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "about"), name="email_once_about_a_thing"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("report", None), ("carries", True), _connector="OR"),
                        name="email_with_report_carries_it",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("revision", models.PositiveIntegerField()),
                ("key", models.CharField(max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("entry", "Entry"),
                            ("completion", "Completion"),
                            ("reveal", "Reveal"),
                            ("correction", "Correction"),
                            ("withdrawal", "Withdrawal"),
                            ("head", "Head"),
                        ],
                        max_length=10,
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(null=True)),
                ("body", tournaments.models.fields.WrittenJSONField(null=True)),
                ("before", tournaments.models.fields.WrittenJSONField(null=True)),
                ("author", models.CharField(blank=True, max_length=80)),
                ("phone", models.CharField(blank=True, editable=False, max_length=64)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("at", models.DateTimeField()),
                ("by_phone", models.BooleanField(default=False)),
                ("address", models.GenericIPAddressField(blank=True, null=True)),
                ("result", models.CharField(blank=True, max_length=9)),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tournaments.club",
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="tournaments.game",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="revisions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["revision"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("club__isnull", False)),
                        fields=["club", "id"],
                        name="revision_of_club",
                    ),
                    models.Index(
                        condition=models.Q(("user__isnull", False)),
                        fields=["user"],
                        name="revision_by_user",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("game", "revision"), name="revision_one_per_revision"
                    ),
                    models.UniqueConstraint(fields=("game", "key"), name="revision_one_per_key"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "entry",
                                    "completion",
                                    "reveal",
                                    "correction",
                                    "withdrawal",
                                    "head",
                                ],
                            )
                        ),
                        name="revision_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "head"), ("position__isnull", True)),
                            models.Q(
                                models.Q(("kind", "head"), _negated=True),
                                ("position__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="revision_position_unless_head",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("body__isnull", True), ("kind", "withdrawal")),
                            models.Q(
                                models.Q(("kind", "withdrawal"), _negated=True),
                                ("body__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="revision_body_unless_withdrawal",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("key", ""), _negated=True),
                        name="revision_key_not_empty",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)), name="revision_number_from_one"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("stage", models.CharField(blank=True, max_length=14)),
                ("seating", models.JSONField(blank=True, null=True)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("clock_seconds", models.PositiveIntegerField(blank=True, null=True)),
                ("clock_used", models.PositiveIntegerField(default=0)),
                ("clock_started_at", models.DateTimeField(blank=True, null=True)),
                ("standings", models.JSONField(blank=True, null=True)),
                ("digest", models.CharField(blank=True, editable=False, max_length=64)),
                ("sealed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "event",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rounds",
                        to="tournaments.event",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("closed_at__isnull", False)),
                        fields=["closed_at", "id"],
                        name="round_closed",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("event", "number"), name="round_one_per_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="round_number_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("closed_at", None), ("opened_at__isnull", False), _connector="OR"
                        ),
                        name="round_opened_before_closed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("opened_at", None),
                            ("seating", None),
                            ("published_at__isnull", False),
                            _connector="OR",
                        ),
                        name="round_published_before_opened",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatedRound",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("spreads", models.JSONField()),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rounds",
                        to="tournaments.ratingpool",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tournaments.round",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["pool", "-at", "-round"], name="rated_round_last")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("pool", "round"), name="rated_round_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Draw",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("document", models.JSONField()),
                (
                    "round",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="draw",
                        to="tournaments.round",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("penalty", "Penalty"),
                            ("adjusted", "Adjusted"),
                            ("forfeit", "Forfeit"),
                            ("absent", "Absent"),
                        ],
                        max_length=8,
                    ),
                ),
                ("points", models.JSONField(default=int)),
                ("reason", models.CharField(max_length=200)),
                ("at", models.DateTimeField()),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="tournaments.entrant",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="tournaments.round",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["penalty", "adjusted", "forfeit", "absent"])
                        ),
                        name="ruling_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="ruling_has_a_reason",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("withdrawn_at", None), models.Q(("kind", "penalty"), _negated=True)
                        ),
                        fields=("round", "entrant"),
                        name="ruling_one_result",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedGame",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("generation", models.PositiveIntegerField()),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_by",
                        to="tournaments.game",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_games",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "game"), name="saved_game_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("starts_on", models.DateField()),
                ("ends_on", models.DateField()),
                ("league_best", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "club",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seasons",
                        to="tournaments.club",
                    ),
                ),
            ],
            options={
                "ordering": ["-starts_on", "-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("club", "name"), name="season_one_per_name"),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="season_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ends_on__gte", models.F("starts_on"))),
                        name="season_ends_after_it_starts",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("league_best", None), ("league_best__gte", 1), _connector="OR"
                        ),
                        name="season_counts_one_or_more",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="event",
            name="season",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="events",
                to="tournaments.season",
            ),
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "game",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seats",
                        to="tournaments.game",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="tournaments.player",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("game", "number"), name="seat_one_player"),
                    models.UniqueConstraint(fields=("player", "game"), name="seat_one_per_player"),
                    models.CheckConstraint(
                        condition=models.Q(("number__lt", 4)), name="seat_number_is_a_seat"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("phone", models.CharField(blank=True, editable=False, max_length=64)),
                ("endpoint", models.CharField(blank=True, editable=False, max_length=1000)),
                ("p256dh", models.CharField(blank=True, editable=False, max_length=88)),
                ("auth", models.CharField(blank=True, editable=False, max_length=24)),
                ("language", models.CharField(blank=True, max_length=8)),
                ("created_at", models.DateTimeField()),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="tournaments.entrant",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("entrant", None), ("user__isnull", False)),
                            models.Q(("entrant__isnull", False), ("user", None)),
                            _connector="OR",
                        ),
                        name="subscription_of_entrant_or_account",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("endpoint", ""), ("entrant", None), ("phone", "")),
                            models.Q(
                                ("phone", ""),
                                ("endpoint", ""),
                                ("p256dh", ""),
                                ("auth", ""),
                                _connector="OR",
                                _negated=True,
                            ),
                            _connector="OR",
                        ),
                        name="subscription_of_phone_or_by_mail",
                    ),
                    models.UniqueConstraint(
                        fields=("entrant", "phone"), name="subscription_one_per_phone_of_entrant"
                    ),
                    models.UniqueConstraint(
                        fields=("user", "phone"), name="subscription_one_per_phone_of_account"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("seating", "Seating"), ("time", "Time"), ("result", "Result")],
                        max_length=7,
                    ),
                ),
                ("value", models.CharField(max_length=120)),
                ("title", models.CharField(blank=True, max_length=200)),
                ("next_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notifications",
                        to="tournaments.round",
                    ),
                ),
                (
                    "subscription",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notifications",
                        to="tournaments.subscription",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("next_at__isnull", False)),
                        fields=["next_at"],
                        name="notification_waiting",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("subscription", "round", "kind"), name="notification_one_of_a_kind"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["seating", "time", "result"])),
                        name="notification_kind_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Substitute",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("round_number", models.PositiveSmallIntegerField()),
                (
                    "entrant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="substitutes",
                        to="tournaments.entrant",
                    ),
                ),
                (
                    "instead_of",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tournaments.player",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="substitutions",
                        to="tournaments.player",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("entrant", "round_number", "instead_of"),
                        name="substitute_one_per_round",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("player", models.F("instead_of")), _negated=True),
                        name="substitute_is_another",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("round_number__gte", 1)),
                        name="substitute_round_from_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Table",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("generation", models.PositiveIntegerField(default=1)),
                ("wrong_codes", models.PositiveSmallIntegerField(default=0)),
                ("called_at", models.DateTimeField(blank=True, null=True)),
                ("extra_seconds", models.PositiveIntegerField(default=0)),
                (
                    "round",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tables",
                        to="tournaments.round",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "number"), name="table_one_per_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1), ("generation__gte", 1)),
                        name="table_numbers_from_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Sitting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("side", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sittings",
                        to="tournaments.entrant",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sittings",
                        to="tournaments.round",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sittings",
                        to="tournaments.table",
                    ),
                ),
            ],
            options={
                "ordering": ["side"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "entrant"), name="sitting_one_per_round"
                    ),
                    models.UniqueConstraint(fields=("table", "side"), name="sitting_one_per_side"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("side", None), ("table", None)),
                            models.Q(
                                ("side__isnull", False), ("side__lt", 4), ("table__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="sitting_at_a_side_or_out",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="game",
            name="table",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="games",
                to="tournaments.table",
            ),
        ),
        migrations.CreateModel(
            name="Tournament",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("registration", "Registration"),
                            ("running", "Running"),
                            ("finished", "Finished"),
                        ],
                        default="draft",
                        max_length=12,
                    ),
                ),
                ("document", models.JSONField(blank=True, null=True)),
                ("settings", models.JSONField(blank=True, default=dict)),
                ("seed", models.PositiveIntegerField(default=0)),
                ("revision", models.PositiveIntegerField(default=0)),
                ("cards", models.JSONField(blank=True, default=dict, editable=False)),
                ("line_ups", models.JSONField(blank=True, default=dict, editable=False)),
                ("cancelled_at", models.DateTimeField(blank=True, null=True)),
                ("link_generation", models.PositiveIntegerField(default=1)),
                ("digest", models.CharField(blank=True, editable=False, max_length=64)),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tournament",
                        to="tournaments.event",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True),
                        name="tournament_has_a_slug",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["draft", "registration", "running", "finished"])
                        ),
                        name="tournament_state_known",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="entrant",
            name="tournament",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entrants",
                to="tournaments.tournament",
            ),
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("url", models.URLField(max_length=400)),
                ("happenings", models.JSONField()),
                ("generation", models.PositiveIntegerField(default=1)),
                ("paused", models.BooleanField(default=False)),
                ("after", models.PositiveBigIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to="tournaments.club",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("url", ""), _negated=True),
                        name="webhook_has_an_address",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("happenings", []), _negated=True),
                        name="webhook_is_about_something",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("generation__gte", 1)),
                        name="webhook_generation_from_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                (
                    "happening",
                    models.CharField(
                        choices=[
                            ("round.published", "Round Published"),
                            ("result.entered", "Result Entered"),
                            ("round.closed", "Round Closed"),
                            ("tournament.finished", "Tournament Finished"),
                        ],
                        max_length=24,
                    ),
                ),
                ("body", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("delivered", "Delivered"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("next_at", models.DateTimeField()),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("answer_status", models.PositiveSmallIntegerField(default=0)),
                ("answer_text", models.CharField(blank=True, max_length=300)),
                ("at", models.DateTimeField()),
                (
                    "line",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="deliveries",
                        to="tournaments.auditentry",
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="tournaments.webhook",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["next_at"],
                        name="delivery_waiting",
                    ),
                    models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("webhook", "line", "happening"), name="delivery_once_about_a_change"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "delivered", "failed"])),
                        name="delivery_state_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, unique=True)),
                ("version", models.CharField(max_length=40)),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(db_index=True)),
                ("task", models.CharField(blank=True, max_length=200)),
                ("task_since", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("task", ""), ("task_since", None)),
                            models.Q(
                                models.Q(("task", ""), _negated=True), ("task_since__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="worker_at_a_task_since_a_moment",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Difference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("cache", models.CharField(max_length=20)),
                ("subject", models.CharField(max_length=120)),
                ("stored", models.JSONField(blank=True, null=True)),
                ("computed", models.JSONField(blank=True, null=True)),
                ("first_at", models.DateTimeField()),
                ("told_at", models.DateTimeField(blank=True, null=True)),
                ("resolved_at", models.DateTimeField(blank=True, null=True)),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="differences",
                        to="tournaments.club",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("resolved_at", None)),
                        fields=["club"],
                        name="difference_open_of_club",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("resolved_at", None)),
                        fields=("cache", "subject"),
                        name="difference_open_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("subject", ""), _negated=True),
                        name="difference_of_something",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditRow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("result", "Result"),
                            ("player", "Player"),
                            ("role", "Role"),
                            ("settings", "Settings"),
                            ("event", "Event"),
                        ],
                        max_length=8,
                    ),
                ),
                ("action", models.CharField(max_length=20)),
                ("subject", models.CharField(blank=True, max_length=40)),
                ("table", models.CharField(blank=True, max_length=16)),
                ("address", models.GenericIPAddressField(blank=True, null=True)),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
                ("reason", models.CharField(blank=True, max_length=200)),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tournaments.club",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tournaments.event",
                    ),
                ),
            ],
            options={
                "db_table": "tournaments_auditentry",
                "indexes": [
                    models.Index(fields=["club", "id"], name="audit_of_club"),
                    models.Index(
                        condition=models.Q(("kind", "result"), _negated=True),
                        fields=["club", "kind", "id"],
                        name="audit_of_kind",
                    ),
                    models.Index(fields=["club", "subject", "id"], name="audit_of_subject"),
                    models.Index(
                        condition=models.Q(("user__isnull", False)),
                        fields=["user", "club", "id"],
                        name="audit_by_user",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["result", "player", "role", "settings", "event"])
                        ),
                        name="audit_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("action", ""), _negated=True),
                        name="audit_says_what_was_done",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DealReview",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("revision", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("confirmed", "Confirmed"),
                            ("disputed", "Disputed"),
                            ("settled", "Settled"),
                        ],
                        max_length=9,
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField(null=True)),
                ("body", models.JSONField(null=True)),
                ("at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="deal_reviews",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deal_reviews",
                        to="tournaments.game",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("game", "revision", "kind"), name="deal_review_one_of_a_kind"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["confirmed", "disputed", "settled"])),
                        name="deal_review_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "settled"), ("seat__isnull", True)),
                            models.Q(
                                models.Q(("kind", "settled"), _negated=True),
                                ("seat__isnull", False),
                                ("seat__lt", 4),
                            ),
                            _connector="OR",
                        ),
                        name="deal_review_seat_unless_settled",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("body__isnull", False), ("kind", "disputed")),
                            models.Q(
                                models.Q(("kind", "disputed"), _negated=True),
                                ("body__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="deal_review_body_if_disputed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Confirmation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("revision", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="confirmations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="confirmations",
                        to="tournaments.game",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("game", "revision", "seat"), name="confirmation_one_per_seat"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("seat__lt", 4)), name="confirmation_seat_is_a_seat"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="HouseRuleset",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=40, unique=True)),
                ("name", models.CharField(max_length=80)),
                ("document", models.JSONField()),
                ("revision", models.PositiveIntegerField(default=1)),
                ("changed_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="rulesets",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulesets",
                        to="tournaments.club",
                    ),
                ),
            ],
            options={
                "ordering": ["slug"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True),
                        name="house_ruleset_has_a_slug",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True),
                        name="house_ruleset_has_a_name",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 1)),
                        name="house_ruleset_revision_from_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("generation", models.PositiveIntegerField(default=1)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("director", "Director"),
                            ("member", "Member"),
                        ],
                        default="member",
                        max_length=8,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("most_uses", models.PositiveIntegerField(blank=True, null=True)),
                ("uses", models.PositiveIntegerField(default=0)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="tournaments.club",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["owner", "director", "member"])),
                        name="invitation_role_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("role", "member"),
                            models.Q(("most_uses", 1), ("most_uses__isnull", False)),
                            _connector="OR",
                        ),
                        name="invitation_of_staff_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("most_uses", None),
                            ("uses__lte", models.F("most_uses")),
                            _connector="OR",
                        ),
                        name="invitation_not_overused",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("director", "Director"),
                            ("member", "Member"),
                        ],
                        default="member",
                        max_length=8,
                    ),
                ),
                ("month_by_mail", models.BooleanField(default=True)),
                ("joined_at", models.DateTimeField()),
                (
                    "club",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="members",
                        to="tournaments.club",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("club", "user"), name="member_once_in_a_club"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["owner", "director", "member"])),
                        name="member_role_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PersonalToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_key", models.CharField(db_index=True, max_length=25)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expiry", models.DateTimeField(blank=True, null=True)),
                ("digest", models.CharField(max_length=128, unique=True)),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.fields.new_public_id, max_length=16, unique=True
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("scopes", models.JSONField()),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="auth_token_set",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created", "public_id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="token_has_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scopes", []), _negated=True),
                        name="token_may_do_something",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="playerrating",
            index=models.Index(
                fields=["pool", "-points", "id", "month", "provisional", "player"],
                name="rating_leaderboard",
            ),
        ),
        migrations.AddIndex(
            model_name="playerrating",
            index=models.Index(fields=["pool", "last_at"], name="rating_last_game"),
        ),
        migrations.AddConstraint(
            model_name="playerrating",
            constraint=models.UniqueConstraint(
                fields=("pool", "person"), name="rating_one_per_person"
            ),
        ),
        migrations.AddConstraint(
            model_name="entrant",
            constraint=models.UniqueConstraint(
                fields=("tournament", "number"), name="entrant_one_per_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="entrant",
            constraint=models.UniqueConstraint(
                fields=("tournament", "player"), name="entrant_one_per_player"
            ),
        ),
        migrations.AddConstraint(
            model_name="entrant",
            constraint=models.UniqueConstraint(
                condition=models.Q(("partner__isnull", False)),
                fields=("tournament", "partner"),
                name="entrant_one_per_partner",
            ),
        ),
        migrations.RunPython(find_names_fast, find_names_slowly),
    ]
