#!/usr/bin/env python
"""The command line of Kingscore."""

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")


def run_at_once(arguments: list[str]) -> int | None:
    """Run a command that does without Django, and return its status; None if there is none."""
    if arguments[:1] == ["up"]:
        from tournaments.management.supervisor import run_up

        return run_up(arguments[1:])
    from tournaments.management import records

    return records.run_at_once(arguments)


def run_by_django() -> None:
    """Run any command of Django and of the project."""
    from django.core.management import execute_from_command_line

    from tournaments.management.nursery import faults_in_a_line

    with faults_in_a_line():
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    status = run_at_once(sys.argv[1:])
    if status is None:
        run_by_django()
    else:
        sys.exit(status)
