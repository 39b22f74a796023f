"""Compile each changed catalogue of translations for Django."""

import os
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.core.management.base import BaseCommand


def compile_catalogue(po: Path) -> bool:
    """Write the .mo beside a .po; return whether this was necessary."""
    mo = po.with_suffix(".mo")
    if mo.exists() and mo.stat().st_mtime_ns >= po.stat().st_mtime_ns:
        return False
    with po.open("rb") as source:
        catalogue = read_po(source, locale=po.parent.parent.name)
    # Write to another file and rename: a server starting now must not read half a file.
    beside = mo.with_name(f".{os.getpid()}.mo")
    with beside.open("wb") as target:
        write_mo(target, catalogue)
    beside.replace(mo)
    return True


class Command(BaseCommand):
    """Compile without gettext, which a fresh machine lacks."""

    help = "Compile the translations that have changed."
    requires_system_checks: list[str] = []

    def handle(self, *_: Any, **options: Any) -> None:
        for folder in settings.LOCALE_PATHS:
            for po in sorted(Path(folder).glob("*/LC_MESSAGES/django.po")):
                if compile_catalogue(po) and options["verbosity"]:
                    self.stdout.write(f"Compiled {po.parent.parent.name}")
