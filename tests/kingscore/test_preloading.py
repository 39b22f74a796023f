"""What web server and worker share holds nothing that a small site does without."""

import pytest

from tests.servers import environment_of, run_python


@pytest.mark.parametrize("module", ["numpy", "psycopg", "pygments", "typst", "xlsxwriter"])
def test_is_not_imported_before_it_is_used(module, imported):
    assert module not in imported


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    code = "import sys, kingscore.preloading, kingscore.asgi; print(*sys.modules)"
    folder = tmp_path_factory.mktemp("site")
    environment = environment_of(folder, DJANGO_SETTINGS_MODULE="kingscore.settings")
    names = run_python(code, environment).split()
    assert "tournaments.api.urls" in names
    return names
