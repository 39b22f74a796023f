"""What verifying a document found, in words."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.results import DIFFERS, SAME, TOO_LARGE, TOO_MANY_DRAWS, UNKNOWN
from tournaments.texts.labels import Text

WHAT: Mapping[str, Text] = {
    "document": _("The document as a whole"),
    "entries": _("The game, entry by entry"),
    "game": _("Games, entry by entry, with their corrections"),
    "game-digest": _("Codes of the games"),
    "result": _("Results of the tables"),
    "players": _("Who sat at the tables"),
    "draw": _("The draw, made again"),
    "scores": _("The points it was drawn from"),
    "seating": _("The seating and byes as published"),
    "standings": _("Places, with every tie-break and ruling"),
    "closing": _("Places kept when the round was closed"),
    "round-digest": _("The code of the round"),
    "tournament-digest": _("The code of the tournament"),
    "stored": _("What is stored here"),
    "rating": _("Ratings, game by game"),
    "current-rating": _("Ratings after the last game"),
}
"""The names of what is verified, in the order of the points of a round."""

SENTENCES: Mapping[tuple[str, str], Text] = {
    (SAME, ""): _("as published"),
    (SAME, "drawn-again"): _("as published; the director had it drawn more than once"),
    (SAME, "changed-by-hand"): _(
        "as drawn; changed by the director after the draw: seats %(seats)s, gone %(gone)s"
    ),
    (SAME, "corrected-since"): _("as published then; places changed since: %(places)s"),
    (DIFFERS, ""): _("differs: the document says %(stated)s, computed is %(computed)s"),
    (DIFFERS, "unfit"): _("differs: revision %(revision)s does not fit the entries before it"),
    (DIFFERS, "no-stage"): _("differs: no such stage follows from the results"),
    (DIFFERS, "redrawn"): _("differs: drawn again, %(seats)s entrants sit elsewhere"),
    (DIFFERS, "impossible"): _("differs: nothing can be drawn from what it was drawn with"),
    (DIFFERS, "out-of-order"): _("differs: the game is older than the one before it"),
    (DIFFERS, "unfit-game"): _("differs: seats, results and places do not belong together"),
    (DIFFERS, "other-ratings"): _("differs, among others for %(stated)s"),
    (UNKNOWN, "other-model"): _(
        "not checked: model %(model)s computed them, and this program has %(own)s"
    ),
    (DIFFERS, "behind"): _("differs: changed here, and no correction says so"),
    (UNKNOWN, "changed-since"): _("corrected here since the export"),
    (UNKNOWN, TOO_MANY_DRAWS): _(
        "not drawn again here: “manage.py verify --work” does it for any size"
    ),
    (UNKNOWN, TOO_LARGE): _("too large to verify here: “manage.py verify --work” does it"),
    (UNKNOWN, "by-hand"): _("seated by hand, not drawn"),
    (UNKNOWN, "other-version"): _(
        "not checked: version %(version)s of the seating drew it, and this program has %(own)s"
    ),
    (UNKNOWN, "reseated-before"): _(
        "not checked: seats of an earlier round were changed after this one was drawn"
    ),
    (UNKNOWN, "no-digest"): _("not checked: the document has no code for it"),
    (UNKNOWN, "not-exported"): _("not checked: an older version left it out of the document"),
    (UNKNOWN, "no-draw"): _("not checked: the document does not say how it was drawn"),
    (UNKNOWN, "reseated-since"): _("not checked: seats were changed after the round was closed"),
}
"""A sentence for each outcome and its code."""

ALL_AGREE = _("Everything that could be computed again is as published.")
LEFT_OUT = _("Part of the document is too large to verify here.")
SOME_DIFFER = _("Something differs from what was published.")
