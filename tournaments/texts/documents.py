"""Sentences about verified documents."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from tournaments.engine.documents.results import DIFFERS, SAME, TOO_LARGE, TOO_MANY_DRAWS, UNKNOWN
from tournaments.texts.labels import Text

WHAT: Mapping[str, Text] = {
    "document": gettext_lazy("The document as a whole"),
    "entries": gettext_lazy("The game, entry by entry"),
    "game": gettext_lazy("Games, entry by entry, with their corrections"),
    "game-digest": gettext_lazy("Codes of the games"),
    "result": gettext_lazy("Results of the tables"),
    "players": gettext_lazy("Who sat at the tables"),
    "draw": gettext_lazy("The draw, made again"),
    "scores": gettext_lazy("The points it was drawn from"),
    "seating": gettext_lazy("The seating and byes as published"),
    "standings": gettext_lazy("Places, with every tie-break and ruling"),
    "closing": gettext_lazy("Places kept when the round was closed"),
    "round-digest": gettext_lazy("The code of the round"),
    "tournament-digest": gettext_lazy("The code of the tournament"),
    "stored": gettext_lazy("What is stored here"),
    "rating": gettext_lazy("Ratings, game by game"),
    "current-rating": gettext_lazy("Ratings after the last game"),
}
"""The names of what is verified, in the order of the points of a round."""

SENTENCES: Mapping[tuple[str, str], Text] = {
    (SAME, ""): gettext_lazy("as published"),
    (SAME, "drawn-again"): gettext_lazy("as published; the director had it drawn more than once"),
    (SAME, "taken"): gettext_lazy(
        "as published: alternative %(number)s of %(count)s; the first is that of the tournament"
    ),
    (SAME, "taken-of-further-draw"): gettext_lazy(
        "as published: alternative %(number)s of %(count)s; the director had it drawn more than"
        " once"
    ),
    (DIFFERS, "not-offered"): gettext_lazy("differs: it is none of the alternatives offered"),
    (SAME, "changed-by-hand"): gettext_lazy(
        "as drawn; changed by the director after the draw: seats %(seats)s, gone %(gone)s"
    ),
    (SAME, "corrected-since"): gettext_lazy("as published then; places changed since: %(places)s"),
    (DIFFERS, ""): gettext_lazy("differs: the document says %(stated)s, computed is %(computed)s"),
    (DIFFERS, "unfit"): gettext_lazy(
        "differs: revision %(revision)s does not fit the entries before it"
    ),
    (DIFFERS, "no-stage"): gettext_lazy("differs: no such stage follows from the results"),
    (DIFFERS, "redrawn"): gettext_lazy("differs: drawn again, %(seats)s entrants sit elsewhere"),
    (DIFFERS, "impossible"): gettext_lazy(
        "differs: nothing can be drawn from what it was drawn with"
    ),
    (DIFFERS, "out-of-order"): gettext_lazy("differs: the game is older than the one before it"),
    (DIFFERS, "unfit-game"): gettext_lazy(
        "differs: seats, results and places do not belong together"
    ),
    (DIFFERS, "other-ratings"): gettext_lazy("differs, among others for %(stated)s"),
    (UNKNOWN, "other-model"): gettext_lazy(
        "not checked: model %(model)s computed them, and this program has %(own)s"
    ),
    (DIFFERS, "behind"): gettext_lazy("differs: changed here, and no correction says so"),
    (UNKNOWN, "changed-since"): gettext_lazy("corrected here since the export"),
    (UNKNOWN, TOO_MANY_DRAWS): gettext_lazy(
        "not drawn again here: “manage.py verify --work” does it for any size"
    ),
    (UNKNOWN, TOO_LARGE): gettext_lazy(
        "too large to verify here: “manage.py verify --work” does it"
    ),
    (UNKNOWN, "by-hand"): gettext_lazy("seated by hand, not drawn"),
    (UNKNOWN, "other-version"): gettext_lazy(
        "not checked: version %(version)s of the seating drew it, and this program has %(own)s"
    ),
    (UNKNOWN, "reseated-before"): gettext_lazy(
        "not checked: seats of an earlier round were changed after this one was drawn"
    ),
    (UNKNOWN, "no-digest"): gettext_lazy("not checked: the document has no code for it"),
    (UNKNOWN, "not-exported"): gettext_lazy(
        "not checked: an older version left it out of the document"
    ),
    (UNKNOWN, "no-draw"): gettext_lazy("not checked: the document does not say how it was drawn"),
    (UNKNOWN, "reseated-since"): gettext_lazy(
        "not checked: seats were changed after the round was closed"
    ),
}
"""A sentence for each outcome and its code."""

ALL_AGREE = gettext_lazy("Everything that could be computed again is as published.")
LEFT_OUT = gettext_lazy("Part of the document is too large to verify here.")
SOME_DIFFER = gettext_lazy("Something differs from what was published.")
