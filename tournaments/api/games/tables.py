"""Addresses of a table: for its card, for its phone, and of the evening of an open table."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import AddressToken, evening_of_key, writable_game
from tournaments.api.games import serializers
from tournaments.api.problems import fault, problem_response
from tournaments.api.views import BaseAPIView
from tournaments.engine.play.outcomes import settle_evening, tally
from tournaments.models import Club, Scope, Table
from tournaments.models.fields import named
from tournaments.permissions import actor_of
from tournaments.queries.evenings import finished_games
from tournaments.queries.sheets import load_sheets
from tournaments.services.base.writes import Refused
from tournaments.services.games.tables import AccessLinkClosed, WrongCode, current_game, enter_table
from tournaments.services.rounds.rulings import call_director

WITH_ALL = ("round__event__club", "round__event__tournament")


class RoundNotOpen(Refused, code="round-not-open"):
    sentence = _("The round has not begun yet: wait at the table.")


def table_to_enter(request: Request, public_id: str) -> tuple[Table, bool]:
    """A table, by its key or for one of its directors, and whether it is one; else 404."""
    rows, key = Table.objects.select_related(*WITH_ALL), request.auth
    if isinstance(key, AddressToken):
        is_its = (key.kind, key.public_id) == ("table", public_id)
        found = rows.found_at(public_id, key.secret) if is_its else rows.none()
        return get_object_or_404(found), False
    directed = rows.filter(round__event__club__in=Club.objects.directed_by(request.user))
    return get_object_or_404(named(directed, public_id)), True


class TableMixin:
    """The table in the address, and whether the visitor directs its club."""

    permission = read_permission = staticmethod(table_to_enter)

    def resolve_parents(self: Any) -> None:
        self.table, self.directs = self.get_permission()(self.request, self.kwargs["public_id"])


class TableView(TableMixin, BaseAPIView):
    serializer_class = serializers.TableSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """Read a table, with its key `table.{id}.{secret}` or as a director of the club.

        `id` and `secret` are part of the address on its card.
        """
        table, directs = self.table, self.directs
        asks_code = table.round.is_open and table.round.event.table_codes and not directs
        details = serializers.table_details(table, timezone.now(), asks_code=asks_code)
        return self.respond(details)


class EnterTableView(TableMixin, BaseAPIView):
    scope = Scope.SCORE
    serializer_class = serializers.TableOpenedSerializer
    request_serializer_class = serializers.TableCodeSerializer

    def post(self, request: Request, public_id: str) -> Response:
        """Enter the code of a table, and get the keys of its current game.

        Wrong codes are counted. After eight, the table stays closed until a director replaces its
        address. Before the round is open the answer is 409; once it is closed `write` is null.
        """
        table, directs = self.table, self.directs
        code = self.get_validated().get("code")
        if not directs and not table.round.is_open and table.round.closed_at is None:
            raise RoundNotOpen
        if not directs and table.round.is_open and table.round.event.table_codes:
            if code is None:
                missing = fault("missing-field", "code", _("The table asks for its code."))
                return problem_response(missing, request)
            try:
                enter_table(table.pk, table.generation, code, self.actor, at=timezone.now())
            except (WrongCode, AccessLinkClosed) as refused:
                # Returned, not raised: the wrong code stays counted.
                return problem_response(refused, request)
        game = current_game(table)
        writable = game if directs or table.round.is_open else None
        return self.respond({"game": game, "writable": writable})


def table_to_write(request: Request, public_id: str) -> Table:
    """Return the table of a game that the visitor may write; 404 for others and open tables."""
    game = get_object_or_404(writable_game(request, public_id))
    return get_object_or_404(Table.objects.select_related(*WITH_ALL), pk=game.table_id)


class GameTableMixin:
    """The table of the game in the address."""

    permission = read_permission = staticmethod(table_to_write)

    def resolve_parents(self: Any) -> None:
        self.table = self.get_permission()(self.request, self.kwargs["public_id"])


class GameTableView(GameTableMixin, BaseAPIView):
    serializer_class = serializers.TableSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """Read the table of a club's game that you may write."""
        details = serializers.table_details(self.table, timezone.now(), asks_code=False)
        return self.respond(details)


class CallDirectorView(GameTableMixin, BaseAPIView):
    scope = Scope.SCORE
    serializer_class = serializers.TableSerializer

    def post(self, request: Request, public_id: str) -> Response:
        """Call a director to a table of a tournament. Calling twice is the same as once."""
        table = self.table
        if not hasattr(table.round.event, "tournament"):
            raise Http404
        by, now = actor_of(self.http_request, table.public_id), timezone.now()
        table.called_at = call_director(table.pk, by, at=now).called_at
        return self.respond(serializers.table_details(table, now, asks_code=False))


class EveningView(BaseAPIView):
    read_permission = staticmethod(evening_of_key)
    serializer_class = serializers.EveningSerializer
    tag = "games"

    def resolve_parents(self) -> None:
        self.tables = self.get_permission()(self.request, **self.kwargs)

    def get(self, request: Request, public_id: str) -> Response:
        """Read the evening of an open table, with its key `evening.{id}.{secret}`.

        `id` and `secret` are part of the address at which it is followed.
        """
        table = get_object_or_404(self.tables)
        sheets = load_sheets(table.games.order_by("number"))
        finished = finished_games(sheets)
        settled, payments = settle_evening(finished), None
        if settled is not None:
            names, due = settled
            payments = [
                {**each._asdict(), "payer": names[each.payer], "payee": names[each.payee]}
                for each in due
            ]
        evening = {"table": table, "sheets": sheets, "payments": payments}
        return self.respond({**evening, "tally": tally(finished)})
