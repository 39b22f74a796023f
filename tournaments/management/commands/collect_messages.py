"""Collect all translatable texts and update the catalogues, or report missing ones."""

import io
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import templatize
from jinja2.ext import babel_extract

PRODUCT = ("kingscore", "tournaments")

KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}

# Without them a template that cannot be read would count as one without texts.
OF_JINJA = {"extensions": "jinja2.ext.do", "silent": "false"}

# No dates, names or versions: they would change with every run to no use.
HEADER = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural_forms}\\n"

"""


def found_messages(root: Path) -> Catalog:
    """Collect the translatable texts of code and templates."""
    found = Catalog()
    for path in sorted(path for name in PRODUCT for path in (root / name).rglob("*.py")):
        if "migrations" not in path.parts:
            text = path.read_text(encoding="utf-8")
            add_messages(found, "python", f"# coding: utf-8\n{text}")
    in_jinja = set((root / "templates/jinja2").rglob("*.*"))
    for path in sorted({*(root / "templates").rglob("*.*")} - in_jinja):
        # Django turns a template into gettext calls. The indentation of the result is meaningless.
        calls = templatize(path.read_text(encoding="utf-8"))
        text = "\n".join(line.strip() for line in calls.splitlines())
        add_messages(found, "python", f"# coding: utf-8\n{text}")
    for path in sorted(in_jinja):
        add_messages(found, babel_extract, path.read_text(encoding="utf-8"))
    return found


def add_messages(found: Catalog, method: Any, text: str) -> None:
    """Add the texts that a method of Babel finds in a source."""
    source = io.BytesIO(text.encode())
    for _line, ids, comments, context in extract(
        method, source, KEYWORDS, comment_tags=["Translators:"], options=OF_JINJA
    ):
        found.add(ids, auto_comments=comments, context=context)


def written_catalogue(catalogue: Catalog) -> str:
    """Return the text of a .po file.

    Sorted by text and without locations, so that a change adds and removes only its own texts.
    """
    body = io.BytesIO()
    write_po(
        body,
        catalogue,
        width=0,
        omit_header=True,
        no_location=True,
        sort_output=True,
        ignore_obsolete=True,
    )
    header = HEADER.format(
        language=catalogue.locale_identifier, plural_forms=catalogue.plural_forms
    )
    return header + body.getvalue().decode().strip() + "\n"


def is_translated(message: Message) -> bool:
    """Return whether every form of a message is translated and not fuzzy."""
    forms = message.string if isinstance(message.string, (list, tuple)) else [message.string]
    return bool(forms) and all(forms) and not message.fuzzy


def english_text(message: Message) -> str:
    """Return the text of a message in the source, of two forms the singular."""
    return message.id if isinstance(message.id, str) else message.id[0]


def label(message: Message) -> str:
    """Return a label by which a translator finds the message."""
    text = english_text(message)
    return f"{text!r} ({message.context})" if message.context else repr(text)


def faults(found: Catalog, translated: Catalog) -> Iterator[str]:
    """Yield missing and superfluous texts of a language, and wrong placeholders."""
    for message in filter(lambda message: message.id, found):
        known = translated.get(message.id, message.context)
        if known is None or isinstance(known.id, str) != isinstance(message.id, str):
            yield f"missing: {label(message)}"
        elif not is_translated(known):
            yield f"empty: {label(message)}"
        else:
            for error in known.check(translated):
                yield f"wrong: {label(message)}: {error}"
    for message in filter(lambda message: message.id, translated):
        if found.get(message.id, message.context) is None:
            yield f"stale: {label(message)}"


def rule_faults(rule: Mapping[str, Any], catalogues: Mapping[str, Catalog]) -> Iterator[str]:
    """Yield the texts that break a rule of `locale/terms.toml`, and its exceptions that do not."""
    pattern = re.compile(rule.get("always") or rule["never"], re.IGNORECASE)
    needless = dict(rule.get("except", {}))
    for language in rule["in"]:
        for message in filter(lambda message: message.id, catalogues[language]):
            english = plain_forms(message.id)
            texts = english if language == settings.LANGUAGE_CODE else plain_forms(message.string)
            if re.search(rule.get("of", ""), english[0], re.IGNORECASE) and any(
                bool(pattern.search(text)) != ("always" in rule) for text in texts
            ):
                if english_text(message) not in rule.get("except", {}):
                    yield f"{language}: {label(message)}: {rule['why']}"
                needless.pop(english_text(message), None)
    yield from (f"needs no exception: {text!r}: {rule['why']}" for text in needless)


def plain_forms(text: str | Sequence[str] | None) -> list[str]:
    """Return the forms of a text without markup and without the names of its values."""
    forms = [text] if isinstance(text, str) else text or ()
    return [re.sub(r"<[^>]*>|(?<=%)\(\w+\)", "", form) for form in forms if form]


class Command(BaseCommand):
    """Updates or checks the catalogue of each language but the source."""

    help = "Collect the texts to translate into locale/*/LC_MESSAGES/django.po."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; fail where a text is missing."
        )

    def handle(self, *_: Any, **options: Any) -> None:
        found = found_messages(Path(settings.BASE_DIR))
        languages = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
        paths = [
            Path(settings.LOCALE_PATHS[0]) / code / "LC_MESSAGES/django.po" for code in languages
        ]
        lines: list[str] = []
        catalogues = {settings.LANGUAGE_CODE: found}
        for po in paths:
            language = po.parent.parent.name
            catalogue = Catalog(locale=language)
            if po.exists():
                with po.open("rb") as source:
                    catalogue = read_po(source, locale=language)
            catalogues[language] = catalogue
            if options["check"]:
                wrong = [*faults(found, catalogue)]
                if not wrong and po.read_text(encoding="utf-8") != written_catalogue(catalogue):
                    wrong = ["not as this command writes it: run make messages"]
                lines += (f"{language}: {fault}" for fault in wrong)
            else:
                catalogue.update(found, no_fuzzy_matching=True)
                po.parent.mkdir(parents=True, exist_ok=True)
                po.write_text(written_catalogue(catalogue), encoding="utf-8")
                empty = sum(not is_translated(message) for message in catalogue if message.id)
                self.stdout.write(f"{language}: {len(catalogue)} texts, {empty} to translate")
        if options["check"]:
            terms = Path(settings.LOCALE_PATHS[0]) / "terms.toml"
            for rule in tomllib.loads(terms.read_text(encoding="utf-8"))["rule"]:
                lines += rule_faults(rule, catalogues)
        if lines:
            raise CommandError("\n".join(lines))
