"""How to keep score at the table, on one page to read or print."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments.web.base.access_links import access_link
from tournaments.web.base.going_back import kept_for_going_back

PICTURED = ("en", "tr", "it")
"""The languages with pictures; other languages get the first."""


@dataclass(frozen=True)
class GuideStep:
    """A step: its picture, the taps in turn, a sentence, and the final tap."""

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


@kept_for_going_back
@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Show nine pictures with short texts (no query)."""
    page = {"steps": guide_steps(), "link": access_link(request, "/")}
    return render(request, "tournaments/site/guide.html", page)


def guide_steps() -> list[GuideStep]:
    return [*_writing(), *_sharing(), *_ending()]


def _writing() -> list[GuideStep]:
    return [
        GuideStep(
            "start",
            _("Start a table"),
            (_("New table"), _("Start")),
            _("Choose the game and type the names as you sit. Nobody needs an account."),
        ),
        GuideStep(
            "contract",
            _("What was declared"),
            (),
            _("Tap the contract; for a trump, tap its suit."),
        ),
        GuideStep(
            "count",
            _("Who took what"),
            (),
            _("Tap a number for each player; the last one comes by itself. Then:"),
            _("Save"),
        ),
    ]


def _sharing() -> list[GuideStep]:
    return [
        GuideStep(
            "correct",
            _("Correct"),
            (_("Undo"),),
            _("This takes back the last deal. An older one: tap its contract in the sheet."),
        ),
        GuideStep(
            "pen",
            _("Hand over the scoring"),
            (_("Share"), _("Another phone writes instead of this one")),
            _("The other phone scans the code and writes; yours follows."),
        ),
        GuideStep(
            "follow",
            _("Follow"),
            (_("Share"), _("Others follow")),
            _("Whoever scans this code sees every deal of the evening, and cannot write."),
        ),
    ]


def _ending() -> list[GuideStep]:
    return [
        GuideStep(
            "no-signal",
            _("No signal?"),
            (),
            _("Write on, or start a new table: all waits on the phone and is sent by itself."),
        ),
        GuideStep(
            "end",
            _("The end"),
            (),
            _("After the last deal you see who has won. Again, or another game:"),
            _("Rematch"),
        ),
        GuideStep(
            "pdf",
            _("Take the sheet home"),
            (_("Scoresheet (PDF)"),),
            _("Below the sheet, at any time."),
        ),
    ]
