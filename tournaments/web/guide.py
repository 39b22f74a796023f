"""How to keep the score at the table: one page to read there, or to print and leave there."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.web.doors import door

PICTURED = ("en", "tr", "it")
"""The languages in which there are pictures; another one is shown the first."""


@dataclass(frozen=True)
class Step:
    """One thing to do: its picture, what is tapped in turn, a sentence, and what is tapped then."""

    picture: str
    title: str
    taps: tuple[str, ...]
    text: str
    then: str = ""

    @property
    def image(self) -> str:
        """The address of the picture in the reader's language, made by `docs/looks/shots.py`."""
        language = (get_language() or "").partition("-")[0]
        folder = language if language in PICTURED else PICTURED[0]
        return static(f"guide/{folder}/{self.picture}.png")


@never_cache
@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Nine pictures with a few words each (no query)."""
    page = {"steps": guide_steps(), "door": door(request, "/")}
    return render(request, "tournaments/guide.html", page)


def guide_steps() -> list[Step]:
    """All there is to do in a game, in order, three in a line on paper."""
    return [*_writing(), *_sharing(), *_ending()]


def _writing() -> list[Step]:
    return [
        Step(
            "start",
            _("Start a table"),
            (_("New table"), _("Start")),
            _("Choose the game and type the names as you sit. Nobody needs an account."),
        ),
        Step(
            "contract",
            _("What was declared"),
            (),
            _("Tap the contract; for a trump, tap its suit."),
        ),
        Step(
            "count",
            _("Who took what"),
            (),
            _("Tap a number for each player; the last one comes by itself. Then:"),
            _("Save"),
        ),
    ]


def _sharing() -> list[Step]:
    return [
        Step(
            "correct",
            _("Correct"),
            (_("Undo"),),
            _("This takes back the last deal. An older one: tap its contract in the sheet."),
        ),
        Step(
            "pen",
            _("Hand over the pen"),
            (_("Share"), _("Another phone writes instead of this one")),
            _("The other phone scans the code and writes; yours follows."),
        ),
        Step(
            "follow",
            _("Follow"),
            (_("Share"), _("Others follow")),
            _("Whoever scans this code sees every deal, and cannot write."),
        ),
    ]


def _ending() -> list[Step]:
    return [
        Step(
            "no-signal",
            _("No signal?"),
            (),
            _("Write on. The deal waits on the phone and is sent by itself; keep the page open."),
        ),
        Step(
            "end",
            _("The end"),
            (),
            _("After the last deal you see who has won. The same players again:"),
            _("Rematch"),
        ),
        Step(
            "pdf",
            _("Take the sheet home"),
            (_("Scoresheet (PDF)"),),
            _("Below the sheet, at any time."),
        ),
    ]
