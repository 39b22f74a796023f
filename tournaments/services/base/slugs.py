"""Slugs made from names."""

from collections.abc import Collection, Iterator
from itertools import chain, count

from django.utils.text import slugify


def free_slugs(name: str, instead: str, longest: int, taken: Collection[str]) -> Iterator[str]:
    """Yield slugs like `name` that are not `taken`; `instead` serves a name without letters.

    The iterator never ends, so that two people who choose one name at once get a slug each.
    """
    # Decomposing turns ş into s and ö into o, but does not know ı.
    plain = slugify(name.replace("ı", "i").replace("_", "-"))
    stem = plain[: longest - 5].strip("-") or instead
    slugs = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return (slug for slug in slugs if slug not in taken)
