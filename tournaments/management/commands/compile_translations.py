"""Compile each changed catalogue of translations for Django."""

import os
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Compile without gettext, which a fresh machine lacks."""

    help = "Compile the translations that have changed."
    requires_system_checks: list[str] = []

    def handle(self, *_: Any, **options: Any) -> None:
        for folder in settings.LOCALE_PATHS:
            for po in sorted(Path(folder).glob("*/LC_MESSAGES/django.po")):
                mo, language = po.with_suffix(".mo"), po.parent.parent.name
                if mo.exists() and mo.stat().st_mtime_ns >= po.stat().st_mtime_ns:
                    continue
                with po.open("rb") as source:
                    catalogue = read_po(source, locale=language)
                # Write to another file and rename: a server starting now must not read half a file.
                beside = mo.with_name(f".{os.getpid()}.mo")
                with beside.open("wb") as target:
                    write_mo(target, catalogue)
                beside.replace(mo)
                if options["verbosity"]:
                    self.stdout.write(f"Compiled {language}")
