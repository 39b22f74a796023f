"""Let the digests of imported games be computed again.

Those of records with another offset than UTC were of the moment as it was written there, so the
sheet showed another code than its export. The next nightly check stores the right ones.
"""

from typing import Any

from django.db import migrations
from django.db.models import Exists, OuterRef


def forget_digests(apps: Any, _schema_editor: Any) -> None:
    """Empty the digests of games whose entries came from a file; archived ones have none here."""
    game, revision = (apps.get_model("tournaments", name) for name in ("Game", "Revision"))
    imported = revision.objects.filter(game=OuterRef("pk"), revision=1, key="import-000000")
    game.objects.exclude(digest="").filter(Exists(imported)).update(digest="")


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0045_smaller_game_indexes")]

    operations = [migrations.RunPython(forget_digests, migrations.RunPython.noop)]
