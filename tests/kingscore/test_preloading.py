"""What web server and worker share holds nothing that a small site does without."""

import pytest

from tests.servers import environment_of, run_python


@pytest.mark.parametrize("module", ["numpy", "psycopg", "pygments", "typst", "xlsxwriter"])
def test_is_not_imported_before_it_is_used(module, imported):
    assert module not in imported


def test_command_imports_no_celery(tmp_path):
    names = modules_after("import django; django.setup()", tmp_path)
    assert "celery" not in names
    assert "tournaments.models" in names


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    code = "import kingscore.preloading, kingscore.asgi"
    names = modules_after(code, tmp_path_factory.mktemp("site"))
    assert "tournaments.api.urls" in names
    return names


def modules_after(code, folder):
    environment = environment_of(folder, DJANGO_SETTINGS_MODULE="kingscore.settings")
    return run_python(f"{code}; import sys; print(*sys.modules)", environment).split()
