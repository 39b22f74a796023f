"""The address at which a director has the month of a club mailed, or no longer."""

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.people.members import MonthSerializer
from tournaments.api.views import Resource
from tournaments.models import Member, Scope
from tournaments.permissions import directed_club
from tournaments.services.emails import switch_month


class MyMonth(Resource):
    scope = Scope.MANAGE

    @extend_schema(responses=MonthSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Whether the month of a club that the account directs comes by mail."""
        return self.shown(MonthSerializer, self._own(slug))

    @extend_schema(request=MonthSerializer, responses=MonthSerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Have the month of a club mailed on the first, or no longer."""
        self._own(slug)
        said = self.said(MonthSerializer)
        with transaction.atomic():
            row = self._own(slug, lock=True)
            self.check_unchanged(MonthSerializer, row)
            switch_month(row, wanted=said["month_by_mail"])
        return self.shown(MonthSerializer, self._own(slug))

    def _own(self, slug: str, *, lock: bool = False) -> Member:
        club = directed_club(self.visitor, slug)
        rows = Member.objects.select_for_update() if lock else Member.objects.all()
        return get_object_or_404(rows, club=club, user=self.account)
