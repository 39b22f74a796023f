"""Base classes of the API's views, and the router: all that every address shares.

`BaseAPIView` is for what is computed; `APIViewSet`, with the mixins of actions, for rows. A view
declares who may use it (`scope`, `permission`), what it reads (`request_serializer_class`) and
what it answers (`serializer_class`); the description of the API follows from the same attributes.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial, wraps
from hashlib import md5
from typing import Any, ClassVar

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_vary_headers
from django.utils.decorators import method_decorator
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import NotAuthenticated
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.serializers import BaseSerializer
from rest_framework.viewsets import ViewSetMixin

from tournaments import permissions
from tournaments.api import filtering
from tournaments.api.access import LEFT, POLICY, count
from tournaments.api.idempotency import run_once
from tournaments.api.problems import NOT_KEPT, NOT_STORED, faults_of
from tournaments.models import Club, Scope, Tournament, User
from tournaments.models.clubs import DIRECTING
from tournaments.models.fields import named
from tournaments.services.audit import Actor
from tournaments.services.base.writes import ChangedMeanwhile, Fault, Invalid, Refused

SerializerClass = type[BaseSerializer[Any]]

DEPRECATED_SINCE = "@1796083200"
"""1 December 2026, as RFC 9745 writes it."""


class NulInAddress(Refused, code="bad-address", status=400):
    sentence = _("An address cannot contain NUL.")


class BaseAPIView(GenericAPIView[Any]):
    """Scopes, strict requests, safe retries of POST, entity tags, and the form of responses."""

    scope: Scope | None = Scope.DIRECT
    """The scope that a token needs to write; None if anybody may."""

    read_scope: Scope | None = Scope.READ
    action_scopes: Mapping[str, Scope | None] = {}
    """Scopes of single actions of a viewset, where they differ from these two."""

    permission: Any = None
    """Finds what the address names for whoever may write there; for all others it raises 404.

    Without one nobody is let in; `anybody` says that none is needed.
    """

    read_permission: Any = None
    action_permissions: Mapping[str, Callable[..., Any]] = {}
    """Permissions of single actions, where they differ from these two."""

    serializer_class: Any = None
    request_serializer_class: Any = None
    """What is read and answered as it is, as a record, has a schema in place of a serializer."""

    serializer_classes: Mapping[str, Any] = {}
    request_serializer_classes: Mapping[str, Any] = {}
    """By action, where they differ from these two."""

    success_status: int | None = None
    """The status of what writes, where it is not 200, of `create` 201, without content 204."""

    also_success_status: int | None = None
    """Another status of the same response, as of a PUT that may create."""

    is_idempotent = True
    """Whether a POST with an `Idempotency-Key` is done once."""

    secret_fields: tuple[str, ...] = ()
    """Fields of a POST that do not tell a repeat of its key from another request."""

    if_match: Mapping[str, bool] = {}
    """The methods that read `If-Match` beside those that change, and whether they require it."""

    refusals: tuple[str, ...] = ()
    """Statuses of problems that are described beside those that every method has."""

    holds_secret = False
    """Whether a response gives access; `UncachedSerializer` sets it."""

    descriptions: ClassVar[Mapping[str, str]] = {}
    """The texts of inherited actions in the description of the API; of others, the docstring."""

    deprecated: ClassVar[Mapping[str, str]] = {}
    """Actions that `/api/v2/` will not have, and what to use instead."""

    tag: ClassVar[str] = ""
    """The topic in the description, where it is not the name of the package."""

    # Without OPTIONS: the description of the API lists the methods of an address.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    request: Request

    # -- the visitor ------------------------------------------------------------------------

    @property
    def http_request(self) -> HttpRequest:
        """The request as `permissions.py` knows it, with the account of the token as its user."""
        return self.request._request  # noqa: SLF001

    @property
    def account(self) -> User:
        """The account of the token; NotAuthenticated without one."""
        user = permissions.account_of(self.http_request)
        if user is None:
            raise NotAuthenticated
        return user

    @property
    def actor(self) -> Actor:
        return permissions.actor_of(self.http_request)

    @property
    def account_actor(self) -> Actor:
        """The author of a request that needs an account; NotAuthenticated without one."""
        return replace(self.actor, user=self.account)

    def scope_for(self, method: str) -> Scope | None:
        default = self.read_scope if method in SAFE_METHODS else self.scope
        return self.action_scopes.get(self.action_name, default)

    def get_permission(self) -> Any:
        reads = self.request.method in SAFE_METHODS
        default = self.read_permission if reads else self.permission
        permission = self.action_permissions.get(self.action_name, default)
        name = f"{type(self).__name__}.{self.action_name}"
        assert permission is not None, f"{name} declares no permission"
        return permission

    # -- the request ------------------------------------------------------------------------

    @property
    def action_name(self) -> str:
        """The action of a viewset, the method of any other view."""
        if action := getattr(self, "action", None):
            return str(action)
        method = str(getattr(self.request, "method", None) or "").lower()
        return "get" if method == "head" else method

    def resolve_parents(self) -> None:
        """Find what the address names before its own object; 404 for whoever may not see it."""
        self.get_permission()(self.request)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer 304 to whoever has the content; let pages of other sites read what is public.

        Nothing is lost by reading, so `If-Match` is ignored there; Django would refuse it.
        """
        if request.method in SAFE_METHODS:
            for header in ("HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE"):
                request.META.pop(header, None)
        response: Any = self._conditional_dispatch(request, *args, **kwargs)
        allow = partial(_allow_other_sites, request)
        # Where it may become a 304 when it is rendered, after that.
        if hasattr(response, "add_post_render_callback"):
            response.add_post_render_callback(allow)
        else:
            allow(response)
        return response

    _conditional_dispatch = method_decorator(conditional_page)(GenericAPIView.dispatch)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check limits, token, scope and parameters; then prepare the handler."""
        count(request, kwargs.values())
        super().initial(request, *args, **kwargs)
        if "%00" in request.get_full_path():
            raise NulInAddress
        self._check_parameters(request)
        # REST framework looks the handler up after this.
        method = str(request.method).lower()
        if handler := getattr(self, method, None):
            setattr(self, method, self._prepared(handler, method))

    def _prepared(self, handler: Callable[..., Response], method: str) -> Callable[..., Response]:
        @wraps(handler)
        def handle(request: Request, *args: Any, **kwargs: Any) -> Response:
            # Whoever lost a right and repeats a request is answered as the first time.
            self.resolve_parents()
            return handler(request, *args, **kwargs)

        is_once = method == "post" and self.is_idempotent
        return partial(run_once, self.secret_fields, handle) if is_once else handle

    def _check_parameters(self, request: Request) -> None:
        """Refuse query parameters that the method does not have; lists look at all of theirs."""
        method = "GET" if request.method == "HEAD" else str(request.method)
        if not request.query_params or not hasattr(self, method.lower()):
            return
        faults: list[Fault] = []
        known = filtering.parameters_of(self, method)
        if self.chosen is not None and method == "GET":
            faults += filtering.unknown_choices(request, self.chosen)
            known |= filtering.CHOICES
        if not self.is_list:
            faults += filtering.unknown(request.query_params, known)
        if faults:
            raise Invalid(faults=faults)

    @property
    def is_list(self) -> bool:
        """Whether the response is a page of rows; a list that is computed is one object."""
        return self.action_name == "list" and not self.is_computed_list

    @property
    def is_computed_list(self) -> bool:
        serializer_class = self.get_serializer_class()
        is_class = isinstance(serializer_class, type)
        return is_class and issubclass(serializer_class, filtering.SlicedListSerializer)

    @property
    def chosen(self) -> type[filtering.SparseFieldsSerializer] | None:
        """The serializer whose `fields` and `expand` may be chosen here."""
        serializer_class = self.get_serializer_class()
        is_class = isinstance(serializer_class, type)
        chooses = is_class and issubclass(serializer_class, filtering.SparseFieldsSerializer)
        return serializer_class if chooses else None

    serializer_context: Mapping[str, Any] = {}
    """What serializers need beside the object and the request."""

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), **self.serializer_context}

    def get_serializer_class(self) -> Any:
        return self.serializer_classes.get(self.action_name, self.serializer_class)

    def get_request_serializer_class(self) -> Any:
        return self.request_serializer_classes.get(self.action_name, self.request_serializer_class)

    def get_validated(
        self,
        serializer_class: SerializerClass | None = None,
        instance: Any = None,
        also: Callable[[Mapping[str, Any]], object] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the request's body as its serializer reads it, or raise Invalid.

        `also` checks the rest of a body that is refused, so that it is refused with all problems.
        """
        data, context = self.request.data, self.get_serializer_context()
        serializer_class = serializer_class or self.get_request_serializer_class()
        assert serializer_class is not None
        serializer = serializer_class(instance, data=data, context=context, **kwargs)
        if serializer.is_valid():
            return serializer.validated_data
        faults: list[Refused] = list(faults_of(serializer.errors))
        if also is not None and isinstance(data, Mapping):
            try:
                also(data)
            except Invalid as error:
                faults += error.faults
        raise Invalid(faults=faults)

    def get_query(self, serializer_class: SerializerClass) -> Any:
        """Return the query parameters as a serializer reads them; a ValidationError otherwise."""
        serializer = serializer_class(data=self.request.query_params.dict())
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def check_precondition(self, instance: Any) -> None:
        """Raise ChangedMeanwhile where `retrieve` has another tag than `If-Match`; lock before."""
        serializer_class = self.serializer_classes.get("retrieve", self.serializer_class)
        assert serializer_class is not None
        serializer = serializer_class(instance, context=self.get_serializer_context())
        check_etag(self.request, etag_of(serializer.data))

    # -- the response -----------------------------------------------------------------------

    def get_refusals(self) -> tuple[str, ...]:
        return self.refusals

    def get_success_status(self) -> int:
        if self.success_status and self.request.method not in SAFE_METHODS:
            return self.success_status
        created = 201 if self.action_name == "create" else 200
        return created if self.get_serializer_class() else 204

    def respond(
        self,
        instance: Any = None,
        *,
        status: int | None = None,
        serializer_class: SerializerClass | None = None,
        **headers: str,
    ) -> Response:
        """Return an object as the action's serializer writes it; without one, no content."""
        data = None
        if serializer_class := serializer_class or self.get_serializer_class():
            data = serializer_class(instance, context=self.get_serializer_context()).data
        if self.holds_secret:
            # Here and not at the end, so that it is stored with a response that is replayed.
            headers["Cache-Control"] = NOT_STORED
        return Response(data, status or self.get_success_status(), headers=headers)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Add the headers of every response, and the tag of what was changed."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers.setdefault("Cache-Control", NOT_STORED if self.holds_secret else NOT_KEPT)
        patch_vary_headers(response, ["Authorization", "Accept-Language"])
        query = request.query_params
        narrows = "expand" in query or (self.is_list and "fields" in query)
        if narrows or self.action_name in self.deprecated:
            response.headers["Deprecation"] = DEPRECATED_SINCE
        content = getattr(response, "data", None)
        # Django gives no tag to what must not be stored, but a change of it needs one.
        wants_tag = self.holds_secret or request.method not in SAFE_METHODS
        if wants_tag and content is not None and response.status_code < 400:
            response.headers.setdefault("ETag", etag_of(content))
        return response


class APIViewSet(ViewSetMixin, BaseAPIView):
    """Actions on rows; `lookup_field = None` says that there is one at the address."""

    lookup_field: Any = "pk"

    def get_object(self) -> Any:
        """The row of the address; filters of a list do not hide it."""
        key = self.kwargs[self.lookup_url_kwarg or self.lookup_field]
        if self.lookup_field == "public_id":
            return get_object_or_404(named(self.get_queryset(), key))
        return get_object_or_404(self.get_queryset(), **{self.lookup_field: key})

    def lock(self) -> None:
        """Lock what `get_object` finds, within a transaction."""

    def get_locked(self) -> Any:
        """The row, locked, and as `If-Match` says it was."""
        self.lock()
        instance = self.get_object()
        self.check_precondition(instance)
        return instance


class ListMixin(ListModelMixin):
    """A page of the rows of `get_queryset`, filtered and ordered."""


class RetrieveMixin(RetrieveModelMixin):
    """The row of `get_object`."""


class CreateMixin:
    """`perform_create(data)` returns the new row, which is answered with its address."""

    def create(self: Any, request: Request, **kwargs: Any) -> Response:
        row = self.perform_create(self.get_validated())
        key = getattr(row, self.lookup_field)
        return self.respond(row, Location=f"{request.path}{key}/")  # type: ignore[no-any-return]


class UpdateMixin:
    """`perform_update(row, data)` changes a locked row by the fields that were sent."""

    def partial_update(self: Any, request: Request, **kwargs: Any) -> Response:
        with transaction.atomic():
            row = self.get_locked()
            self.perform_update(row, self.get_validated(None, row, partial=True))
        return self.respond(self.get_object())  # type: ignore[no-any-return]


class DestroyMixin:
    """`perform_destroy(row)` removes a locked row."""

    def destroy(self: Any, request: Request, **kwargs: Any) -> Response:
        with transaction.atomic():
            self.perform_destroy(self.get_locked())
        return Response(status=204)


class ModelViewSet(ListMixin, CreateMixin, RetrieveMixin, UpdateMixin, DestroyMixin, APIViewSet):
    """All five actions on rows."""


class ClubMixin:
    """The club in the address."""

    permission: Any = staticmethod(permissions.directed_club)
    read_permission: Any = staticmethod(permissions.seen_club)
    club: Club

    def resolve_parents(self: Any) -> None:
        self.club = self.get_permission()(self.http_request, self.kwargs["slug"])

    @cached_property
    def directs(self: Any) -> bool:
        """Whether the visitor directs the club."""
        only_directors = self.get_permission() is permissions.directed_club
        return only_directors or permissions.directs_club(self.http_request, self.club)


class TournamentMixin:
    """The tournament in the address."""

    permission: Any = staticmethod(permissions.directed_tournament)
    read_permission: Any = staticmethod(permissions.seen_tournament)
    tournament: Tournament

    def resolve_parents(self: Any) -> None:
        slug, tournament = self.kwargs["slug"], self.kwargs["tournament"]
        self.tournament = self.get_permission()(self.http_request, slug, tournament)

    @cached_property
    def role(self: Any) -> str | None:
        """The visitor's role in the club of the tournament; None if no member."""
        return permissions.role_in(self.http_request, self.tournament.event.club)

    @cached_property
    def directs(self: Any) -> bool:
        """Whether the visitor directs the tournament."""
        return self.get_permission() is permissions.directed_tournament or self.role in DIRECTING


class Router(SimpleRouter):
    """Routes with path converters; a viewset without `lookup_field` has one object."""

    def __init__(self) -> None:
        super().__init__(use_regex_path=False)

    def get_routes(self, viewset: Any) -> list[Any]:
        routes = super().get_routes(viewset)
        if viewset.lookup_field is not None:
            return routes
        single = [r._replace(url=r.url.replace("/{lookup}", "")) for r in routes if r.detail]
        mapping = {"post": "create", **single[0].mapping}
        return [single[0]._replace(name="{basename}", mapping=mapping), *single[1:]]


def _allow_other_sites(request: HttpRequest, response: HttpResponse) -> None:
    """Let pages of other sites read what anybody may (CORS).

    Only what is read without a token, and gives no access. Cookies count for nothing here.
    """
    is_public = request.method in {"GET", "HEAD"} and "Authorization" not in request.headers
    if is_public and response.get("Cache-Control") != NOT_STORED:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = (
            f"Deprecation, ETag, {LEFT}, {POLICY}, Retry-After, X-Request-ID"
        )


def etag_of(data: Any) -> str:
    """The entity tag of a response, as `ConditionalGetMiddleware` gives it."""
    return etag_of_content(JSONRenderer().render(data))


def etag_of_content(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


def check_etag(request: Request, now: str) -> None:
    """Raise ChangedMeanwhile (412, with the tag `now`) where `If-Match` names another state."""
    tags = request.headers.get("If-Match")
    # Compressed on its way a tag became a weak one; it names the same content.
    if tags and "*" not in tags and now not in {e.removeprefix("W/") for e in parse_etags(tags)}:
        raise ChangedMeanwhile(now)
