from pathlib import Path

from django.contrib.staticfiles.finders import get_finders

KEPT = {"account", "admin", "guide", "icons", "mfa", "vendor"}


def test_folders_of_apps_whose_pages_nobody_opens_are_left_out():
    found = {Path(name) for finder in get_finders() for name, _storage in finder.list([])}
    assert {path.parts[0] for path in found if len(path.parts) > 1} == KEPT
