"""Addresses of a table: for its card, and for its phone."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import AddressToken, writable_game
from tournaments.api.games.serializers import (
    SeenTable,
    TableCodeSerializer,
    TableOpenedSerializer,
    TableSerializer,
)
from tournaments.api.problems import fault, problem_response
from tournaments.api.views import BaseAPIView
from tournaments.models import Club, Scope, Table
from tournaments.models.fields import named
from tournaments.permissions import actor_of
from tournaments.services.base.writes import Refused
from tournaments.services.games.tables import AccessLinkClosed, WrongCode, current_game, enter_table
from tournaments.services.rounds.rulings import call_director

WITH_ALL = ("round__event__club", "round__event__tournament")


class RoundNotOpen(Refused, code="round-not-open"):
    sentence = _("The round has not begun yet: wait at the table.")


class TableView(BaseAPIView):
    serializer_class = TableSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """A table, for whoever has its key `table.{id}.{secret}`, and for the club's directors.

        `id` and `secret` come from the address on its card.
        """
        table, directs = _find_table(request, public_id)
        without_code = not table.round.is_open or not table.round.event.table_codes
        seen = SeenTable(table, current_game(table), directs or without_code, timezone.now())
        return self.respond(seen)


class EnterTableView(BaseAPIView):
    scope = Scope.SCORE
    serializer_class = TableOpenedSerializer
    request_serializer_class = TableCodeSerializer

    def post(self, request: Request, public_id: str) -> Response:
        """Say the code of a table, and get the keys of its current game.

        Wrong codes are counted; after eight access stays closed until a director replaces the
        address. Before the round is opened one waits; once it is closed one only follows.
        """
        table, directs = _find_table(request, public_id)
        code = self.get_validated().get("code")
        if not directs:
            if table.round.is_open:
                refused = _code_refused(self, table, code)
                if refused is not None:
                    return problem_response(refused, request)
            elif table.round.closed_at is None:
                raise RoundNotOpen
        inside = directs or table.round.is_open
        seen = SeenTable(table, current_game(table), inside, timezone.now())
        return self.respond(seen)


class GameTableView(BaseAPIView):
    serializer_class = TableSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """The table of a club at which a game is played, for whoever writes its sheet."""
        return self.respond(_table_of(request, public_id))


class CallDirectorView(BaseAPIView):
    scope = Scope.SCORE
    serializer_class = TableSerializer

    def post(self, request: Request, public_id: str) -> Response:
        """Call for a director at a table of a tournament; called twice, it is called once."""
        seen = _table_of(request, public_id, round__event__tournament__isnull=False)
        by = actor_of(self.http_request, seen.table.public_id)
        seen.table.called_at = call_director(seen.table.pk, by, at=seen.at).called_at
        return self.respond(seen)


def _find_table(request: Request, public_id: str) -> tuple[Table, bool]:
    """A table, by its key or for one of its directors, and whether it is one; else 404."""
    rows, key = Table.objects.select_related(*WITH_ALL), request.auth
    if isinstance(key, AddressToken):
        is_its = (key.kind, key.public_id) == ("table", public_id)
        found = rows.found_at(public_id, key.secret) if is_its else rows.none()
        return get_object_or_404(found), False
    directed = rows.filter(round__event__club__in=Club.objects.directed_by(request.user))
    return get_object_or_404(named(directed, public_id)), True


def _code_refused(view: BaseAPIView, table: Table, code: str | None) -> Refused | None:
    """Why nobody comes in with this code, which is counted; None where they come in."""
    if not table.round.event.table_codes:
        return None
    if code is None:
        return fault("missing-field", "code", _("The table asks for its code."))
    try:
        enter_table(table.pk, table.generation, code, view.actor, at=timezone.now())
    except (WrongCode, AccessLinkClosed) as refused:
        return refused
    return None


def _table_of(request: Request, public_id: str, **more: bool) -> SeenTable:
    """The table of a game, for whoever writes it; 404 for others, and where it has none."""
    game = get_object_or_404(writable_game(request, public_id))
    rows = Table.objects.select_related(*WITH_ALL)
    table = get_object_or_404(rows, pk=game.table_id, **more)
    return SeenTable(table, current_game(table), inside=True, at=timezone.now())
