"""The alphabetical order of names in a language."""

from tournaments.models.people import fold_name, plain_name

TURKISH = "abcçdefgğhıijklmnoöpqrsştuüvwxyz"
LOWER = str.maketrans({"İ": "i", "I": "ı"})
PLACES = {letter: place for place, letter in enumerate(TURKISH)}

Order = tuple[list[int], str, str]


def name_order(name: str, language: str) -> Order:
    """Return the sort key of a name: letters first, diacritics only among equals.

    In Turkish ç, ğ, ı, ö, ş and ü are letters of their own, each after the letter it resembles.
    """
    letters = _turkish(name) if language == "tr" else [ord(c) for c in plain_name(name)]
    return letters, fold_name(name), name


def _turkish(name: str) -> list[int]:
    places: list[int] = []
    for letter in name.translate(LOWER).lower():
        plain = letter if letter in PLACES else plain_name(letter)
        # Spaces and full stops sort before all letters, letters of other alphabets after them.
        places += [PLACES.get(c, ord(c) + 100 if c.isalpha() else -1) for c in plain or " "]
    return places
