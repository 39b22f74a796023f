#!/usr/bin/env python
"""The command line of Kingscore."""

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")


def run_by_django() -> None:
    """Run any command of Django and of the project."""
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Kingscore cannot run like this:\n{error}")


if __name__ == "__main__":
    from tournaments.management import records

    # Some commands do without Django.
    status = records.run_at_once(sys.argv[1:])
    if status is None:
        run_by_django()
    else:
        sys.exit(status)
