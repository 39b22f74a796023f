"""Slugs made of the names that people give."""

from collections.abc import Collection, Iterator
from itertools import chain, count

from django.utils.text import slugify


def free_slugs(name: str, instead: str, longest: int, taken: Collection[str]) -> Iterator[str]:
    """Slugs like `name` that are not `taken`; `instead` where a name has no letters for one.

    There is always another, so that two who choose a name at once get a slug each.
    """
    # Decomposing keeps ş as s and ö as o, but knows no letter below ı.
    plain = slugify(name.replace("ı", "i").replace("_", "-"))
    stem = plain[: longest - 5].strip("-") or instead
    slugs = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return (slug for slug in slugs if slug not in taken)
