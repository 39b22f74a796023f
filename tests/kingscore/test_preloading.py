"""What web server and worker share holds nothing that a small site does without."""

from tests.servers import environment_of, run_python

IMPORT = """
import sys
import django
django.setup()
print(*sys.modules)
import kingscore.preloading, kingscore.asgi
print(*sys.modules)
"""


def test_nothing_is_imported_before_it_is_used(tmp_path):
    environment = environment_of(tmp_path, DJANGO_SETTINGS_MODULE="kingscore.settings")

    command, server = (
        line.split() for line in run_python(IMPORT, environment).strip().splitlines()
    )

    assert "tournaments.models" in command
    assert "celery" not in command
    assert "tournaments.api.urls" in server
    assert not {"numpy", "psycopg", "pygments", "typst", "xlsxwriter"} & {*server}
