"""Base of every view of the API: entity tags, pages, and strict reading of requests."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, wraps
from hashlib import md5
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import NotAuthenticated
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from tournaments.api.access import LEFT, POLICY, count
from tournaments.api.filtering import CHOICES, Chosen, parameters_of, unknown, unknown_choices
from tournaments.api.problems import NOT_KEPT, NOT_STORED, faults_of
from tournaments.models import Scope, User
from tournaments.permissions import account_of, actor_of
from tournaments.services.audit import Actor
from tournaments.services.base.writes import ChangedMeanwhile, Fault, Invalid, Refused

Shape = type[BaseSerializer[Any]]


class NulInAddress(Refused, code="bad-address", status=400):
    sentence = _("An address cannot contain NUL.")


class Resource(GenericAPIView[Any]):
    """One address of the API.

    A reading view answers with the whole of what it shows, so that its entity tag is that of the
    content; a change answers with the new state.
    """

    scope: Scope | None = Scope.DIRECT
    """The scope that a personal token needs to write; None if anybody may."""

    secret_fields: tuple[str, ...] = ()
    """Fields of a POST that do not tell a repeat of its key from another request."""

    if_match: Mapping[str, bool] = {}
    """The methods that read `If-Match` beside those that change, and whether they require it."""

    chosen: type[Chosen] | None = None
    """The shape of what is read, where `fields` and `expand` choose what it shows."""

    holds_secret = False
    """Whether what is shown gives access; `UncachedSerializer` sets it."""

    # Without OPTIONS: the description of the API lists the methods of an address.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    request: Request

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """The view, answering 304 to whoever has seen its content already.

        By what is only read nothing can be lost, so that there `If-Match` is passed over; Django
        would refuse it, by an answer that is no problem of ours.
        """
        view = conditional_page(super().as_view(**initkwargs))

        @wraps(view)
        def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if request.method in SAFE_METHODS:
                for header in ("HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE"):
                    request.META.pop(header, None)
            answer = view(request, *args, **kwargs)
            tell = partial(_tell, request)
            # Where it may become a 304 when it is rendered, after that.
            if hasattr(answer, "add_post_render_callback"):
                answer.add_post_render_callback(tell)
            else:
                tell(answer)
            return answer

        return answered

    @property
    def needed_scope(self) -> Scope | None:
        """The scope that a personal token needs for the request."""
        reads = self.request.method in SAFE_METHODS
        return getattr(self, "reading_scope", Scope.READ) if reads else self.scope

    @property
    def visitor(self) -> HttpRequest:
        """The request as `permissions.py` knows it, with the account of the token as its user."""
        return self.request._request  # noqa: SLF001

    @property
    def account(self) -> User:
        """Whose token it is.

        Raises:
            NotAuthenticated: nobody's.
        """
        user = account_of(self.visitor)
        if user is None:
            raise NotAuthenticated
        return user

    @property
    def actor(self) -> Actor:
        return actor_of(self.visitor)

    @property
    def account_actor(self) -> Actor:
        """The author of a request that needs an account.

        Raises:
            NotAuthenticated: nobody.
        """
        return replace(self.actor, user=self.account)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what no database looks for, before anybody looks."""
        count(request, kwargs.values())
        super().initial(request, *args, **kwargs)
        if "%00" in request.get_full_path():
            raise NulInAddress
        self._check_parameters(request)

    def _check_parameters(self, request: Request) -> None:
        """Refuse query parameters that the method does not have; lists look at all of theirs."""
        method = "GET" if request.method == "HEAD" else str(request.method)
        is_list = method == "GET" and getattr(self, "queryset", None) is not None
        if not request.query_params or not hasattr(self, method.lower()):
            return
        faults: list[Fault] = []
        known = parameters_of(self, method)
        if self.chosen is not None and method == "GET":
            faults += unknown_choices(request, self.chosen)
            known |= CHOICES
        if not is_list:
            faults += unknown(request.query_params, known)
        if faults:
            raise Invalid(faults=faults)

    def said(
        self, shape: Shape, also: Callable[[Mapping[str, Any]], object] | None = None, **more: Any
    ) -> Any:
        """Return the request's body as read by `shape`.

        `also` checks the rest of a body that is refused, so that all its problems are told at once.

        Raises:
            Invalid: it is something else.
        """
        data = self.request.data
        serializer = shape(data=data, context=self.get_serializer_context(), **more)
        if serializer.is_valid():
            return serializer.validated_data
        faults: list[Refused] = list(faults_of(serializer.errors))
        if also is not None and isinstance(data, Mapping):
            try:
                also(data)
            except Invalid as error:
                faults += error.faults
        raise Invalid(faults=faults)

    def shown(self, shape: Shape, what: Any, status: int = 200, **headers: str) -> Response:
        """Something as `shape` writes it."""
        data = shape(what, context=self.get_serializer_context()).data
        if self.holds_secret:
            # Said here and not at the end, so that it is kept with an answer that is given again.
            headers["Cache-Control"] = NOT_STORED
        return Response(data, status, headers=headers)

    def pages_of(self, shape: Shape, rows: QuerySet[Any]) -> Response:
        """A page of rows, filtered and in the order that was asked for."""
        page = self.paginate_queryset(self.filter_queryset(rows))
        data = shape(page, many=True, context=self.get_serializer_context()).data
        return self.get_paginated_response(data)

    def check_unchanged(self, shape: Shape, what: Any) -> None:
        """Refuse to change something that is not as `If-Match` says it was; lock it before.

        Raises:
            ChangedMeanwhile: 412, with the entity tag that it has now.
        """
        check_etag(self.request, etag_of(shape(what, context=self.get_serializer_context()).data))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Add what every answer says about being kept, and the tag of what was changed."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        kept = NOT_STORED if self.holds_secret else NOT_KEPT
        answer.headers.setdefault("Cache-Control", kept)
        patch_vary_headers(answer, ["Authorization", "Accept-Language"])
        content = getattr(answer, "data", None)
        is_problem = answer.status_code >= 400
        # Django gives no tag to what must not be stored, but a change of it needs one.
        wants_tag = self.holds_secret or request.method not in SAFE_METHODS
        if wants_tag and content is not None and not is_problem:
            answer.headers.setdefault("ETag", etag_of(content))
        return answer


def _tell(request: HttpRequest, answer: HttpResponse) -> None:
    """Let pages of other sites read what anybody may (CORS).

    Only what was asked for without a token, and gives no access. Cookies count for nothing here.
    """
    is_public = request.method in {"GET", "HEAD"} and "Authorization" not in request.headers
    if is_public and answer.get("Cache-Control") != NOT_STORED:
        answer["Access-Control-Allow-Origin"] = "*"
        answer["Access-Control-Expose-Headers"] = f"ETag, {LEFT}, {POLICY}, Retry-After"


def etag_of(data: Any) -> str:
    """The entity tag of what is answered, as `ConditionalGetMiddleware` gives it."""
    return tag_of_content(JSONRenderer().render(data))


def tag_of_content(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


def check_etag(request: Request, now: str) -> None:
    """Refuse what was asked for about an older state.

    Raises:
        ChangedMeanwhile: 412, with the entity tag that holds now.
    """
    said = request.headers.get("If-Match")
    # Compressed on its way a tag became a weak one; it names the same content.
    if said and "*" not in said and now not in {e.removeprefix("W/") for e in parse_etags(said)}:
        raise ChangedMeanwhile(now)
