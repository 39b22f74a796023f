"""The API: everything the pages do, for programs; the same queries, services and permissions."""

import sys
from importlib import import_module

# REST framework loads them for fields and pages that nobody here uses: 90 modules, among them the
# driver of PostgreSQL, which a site on SQLite does without.
UNUSED = ("django.contrib.postgres.fields", "pygments")


def _import_without_unused() -> None:
    """Import what REST framework finds of other packages, as if these were not installed."""
    hidden = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import_module("rest_framework.compat")
    finally:
        for name in hidden:
            del sys.modules[name]


_import_without_unused()
