"""The navigation bar of a club: the same words on every page, and the rest behind the last."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.models import Club, Member, RatingCount, Season
from tournaments.models.clubs import DIRECTING, Role
from tournaments.permissions import account_of

FURTHER_DOWN = {
    "club_ratings": "club_calibration",
    "events": "event new_event change_event new_event_table event_table remove_table"
    " event_documents new_tournament club_game",
    "players": "player new_players player_opponents player_against player_card remove_player"
    " merge_player",
    "people": "member new_invitation invitation",
    "imports": "import_players import_results import_records tournament_records",
    "club_settings": "webhooks new_webhook webhook change_webhook webhook_secret club_logo",
    "club_house_rules": "club_house_ruleset club_try_rules club_delete_rules",
    "seasons": "season",
}
BELOW = {below: page for page, pages in FURTHER_DOWN.items() for below in pages.split()}
"""The page of the bar that each page further down belongs to."""


@dataclass(frozen=True, slots=True)
class BarLink:
    """A word of the bar; `current` is the value of `aria-current`, empty elsewhere."""

    text: str
    url: str
    current: str = ""


@dataclass(frozen=True, slots=True)
class ClubBar:
    """The bar as a visitor sees it, and what the visitor may do in the club."""

    club: Club
    role: str
    season: int | None
    rated: bool
    at: str

    @property
    def directs(self) -> bool:
        return self.role in DIRECTING

    @property
    def owns(self) -> bool:
        return self.role == Role.OWNER

    @property
    def shows_records(self) -> bool:
        return bool(self.role) or self.club.shows_names

    @property
    def shows_ratings(self) -> bool:
        return bool(self.role) or (self.shows_records and self.rated)

    @property
    def links(self) -> list[BarLink]:
        return list(self._links())

    def _links(self) -> Iterator[BarLink]:
        yield self._link(_("Evenings"), "events")
        if self.season is not None:
            yield self._link(_("League"), "league", self.season)
        if self.shows_ratings:
            yield self._link(_("Ratings"), "club_ratings")
        if self.shows_records:
            yield self._link(_("Records"), "club_records")

    @property
    def more(self) -> list[BarLink]:
        return list(self._more())

    def _more(self) -> Iterator[BarLink]:
        if self.role:
            yield self._link(_("Players"), "players")
            yield self._link(_("Members"), "people")
        yield self._link(_("Seasons"), "seasons")
        yield self._link(_("All games"), "club_games")
        if self.directs:
            yield self._link(_("Import"), "imports")
            yield self._link(_("House rules"), "club_house_rules")
            yield self._link(_("What was changed"), "club_changes")
        if self.owns:
            yield self._link(_("Settings"), "club_settings")
        yield self._link(_("Calendar and embedding"), "share_club")
        if self.role:
            yield self._link(_("Leave the club"), "leave_club")

    @property
    def last(self) -> str:
        """Return the word that opens `more`."""
        return _("Manage") if self.directs else pgettext("pages", "More")

    def _link(self, text: str, page: str, *args: int) -> BarLink:
        current = "page" if self.at == page else "true" if BELOW.get(self.at) == page else ""
        return BarLink(text, reverse(page, args=[self.club.slug, *args]), current)


def club_bar(request: HttpRequest, club: Club) -> ClubBar | None:
    """Return the bar of a club (1 query); None for visitors who may not see its page."""
    user = account_of(request)
    members = Member.objects.filter(club=OuterRef("pk"), user=user)
    seasons = Season.objects.filter(club=OuterRef("pk"), starts_on__lte=timezone.localdate())
    ratings = RatingCount.objects.filter(pool__club=OuterRef("pk"))
    found = (
        Club.objects.filter(pk=club.pk)
        .values(
            role=Subquery(members.values("role")[:1]),
            season=Subquery(seasons.values("pk")[:1]),
            rated=Subquery(ratings.values("pk")[:1]),
        )
        .get()
    )
    if not club.published and found["role"] is None:
        return None
    match = request.resolver_match
    return ClubBar(
        club=club,
        role=found["role"] or "",
        season=found["season"],
        rated=found["rated"] is not None,
        at=str(match.url_name) if match else "",
    )
