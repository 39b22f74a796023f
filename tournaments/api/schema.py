"""The description of the API (OpenAPI 3.1), from its views."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import SAFE_METHODS

from tournaments.api.choosing import ABOUT
from tournaments.api.idempotency import HEADER, REPEATED
from tournaments.engine.rules.entries import LARGE
from tournaments.models import Scope

Json = dict[str, Any]

# Filters, the order and options are read as strictly as bodies. `default` stands for the others.
READING = ("401", "403", "404", "422", "default")
WRITING = (*READING, "409")
CHANGING = (*WRITING, "412")

ACTIONS = {"PUT": "replace", "PATCH": "change", "DELETE": "remove"}
"""The verbs of operations other than reading and POST."""

VERBS = frozenset(
    {"accept", "add", "add-time", "adopt", "again", "answer", "call", "cancel", "check-in", "claim"}
    | {
        "close",
        "confirm",
        "copy",
        "describe",
        "dispute",
        "divide",
        "enter",
        "exchange",
        "finish",
        "join",
    }
    | {"late", "leave", "let-in", "merge", "move", "new", "open", "pair", "pause", "publish"}
    | {"rematch", "release", "reopen", "start"}
    | {"replace", "restore", "return", "reveal", "score", "seal", "seat", "settle", "swap"}
    | {"take-back", "test", "undo", "unlink", "verify", "withdraw"}
)
"""Last words of addresses that say by themselves what a POST does."""

KEY_TOPICS = frozenset({"games", "tables", "entrants"})
"""Topics of which the address of a page, used as a key, opens something."""


def component(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a token is sent: both kinds alike."""

    target_class = "tournaments.api.access.BearerAuthentication"
    name = ["token", "key", "oauth"]

    def get_security_requirement(self, auto_schema: AutoSchema) -> list[dict[str, list[str]]]:
        """Return the security of an operation: a token's scope, and a table's key."""
        view: Any = auto_schema.view
        reads = auto_schema.method in SAFE_METHODS
        scope = getattr(view, "reading_scope", Scope.READ) if reads else view.scope
        scopes = [scope.value] if scope else []
        allowed: list[dict[str, list[str]]] = [{"token": scopes}, {"oauth": scopes}]
        if auto_schema.get_tags()[0] in KEY_TOPICS:
            allowed.append({"key": []})
        # Published data and open tables need none.
        return [*allowed, {}] if scope in {None, Scope.READ} else allowed

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:
        """A personal token, and the address of a sheet or a table's card as a key."""
        token = "A personal token, made on the account page; its scopes are read, score, direct and manage."  # noqa: E501, S105
        key = "The address of a sheet or of a table's card: `kind.id.secret`. It opens what the page opens."  # noqa: E501
        bearer = {"type": "http", "scheme": "bearer"}
        flow = {
            "authorizationUrl": "/oauth/authorize/",
            "tokenUrl": "/oauth/token/",
            "refreshUrl": "/oauth/token/",
            "scopes": {scope.value: str(scope.label) for scope in Scope},
        }
        oauth = "An application's token, by OAuth 2.1 with PKCE: `/.well-known/oauth-authorization-server` has the addresses."  # noqa: E501
        return [
            {**bearer, "description": token},
            {**bearer, "description": key},
            {"type": "oauth2", "description": oauth, "flows": {"authorizationCode": flow}},
        ]


TAGS = {
    "accounts": "people",
    "accounts.month": "clubs",
    "audit.club_audit": "clubs",
    "audit.feed": "changes",
    "events.seasons": "clubs",
    "games.clocks": "tables",
    "games.tables": "tables",
    "imports": "importing",
    "people.invitations": "clubs",
    "people.members": "clubs",
    "rulesets": "rules",
    "statistics": "reading",
}
"""Tags that differ from the topic; generated clients are named after them."""


class Described(AutoSchema):
    """Shared by every address: names, tags, headers, and the form of problems."""

    def get_tags(self) -> list[str]:
        """The topic of its module, under the name that clients know."""
        module = type(self.view).__module__.removeprefix("tournaments.api.")
        topic = module.partition(".")[0]
        return [TAGS.get(module) or TAGS.get(topic, topic)]

    def get_operation_id(self) -> str:
        """Return path and action: `clubs_list`, `games_entries_add`, `rounds_close`."""
        way = [part.replace("-", "_") for part in self._tokenize_path()]
        return "_".join([*way, *self._action()])

    def _action(self) -> list[str]:
        if self.method == "GET":
            return ["list" if self._is_list_view() else "read"]
        if self.method != "POST":
            return [ACTIONS[self.method]]
        words = [part for part in self.path.split("/") if part and "{" not in part]
        return [] if words[-1] in VERBS else ["add"]

    def get_summary(self) -> str | None:
        """Return the summary."""
        return super().get_summary() or self._said()[0]

    def get_description(self) -> str:  # type: ignore[override]
        """Return the rest of the description."""
        chooses = self.method == "GET" and getattr(self.view, "chosen", None)
        return "\n\n".join(filter(None, (self._said()[1], ABOUT if chooses else "")))

    def _said(self) -> tuple[str, str]:
        first, _blank, rest = super().get_description().partition("\n\n")
        return first.replace("\n", " "), rest

    def get_override_parameters(self) -> list[Any]:
        """The headers that every address knows."""
        parameters = super().get_override_parameters()
        where: Any = OpenApiParameter.HEADER
        if self.method == "POST":
            text = "8 to 64 letters, digits, `-` or `_`: sent twice, it is done once."
            pattern = {"type": "string", "pattern": "^[0-9A-Za-z_-]{8,64}$"}
            parameters.append(OpenApiParameter(HEADER, pattern, where, description=text))
        if self.method in ACTIONS or self.method in self._matched:
            text = "Only if it is still what has one of these entity tags; else the answer is 412."
            needed = self._matched.get(self.method, False)
            parameters.append(
                OpenApiParameter("If-Match", str, where, required=needed, description=text)
            )
        if self.method == "GET":
            text = "Answered 304, without content, while it still has this entity tag."
            parameters.append(OpenApiParameter("If-None-Match", str, where, description=text))
        return parameters

    def _resolve_path_parameters(self, variables: Any) -> list[Json]:
        parameters: list[Json] = super()._resolve_path_parameters(variables)  # type: ignore[no-untyped-call]
        for parameter in parameters:
            if parameter["schema"].get("type") == "integer":
                parameter["schema"] |= {"minimum": 0, "maximum": LARGE}
        return parameters

    def _get_response_bodies(self, direction: Any = "response") -> Json:
        bodies: Json = super()._get_response_bodies(direction)
        for status in self._refusals():
            name = "Problem" if status == "default" else status
            bodies.setdefault(status, {"$ref": f"#/components/responses/{name}"})
        if self.method == "GET":
            bodies.setdefault("304", {"description": "Unchanged."})
        return dict(sorted(bodies.items()))

    @property
    def _matched(self) -> Mapping[str, bool]:
        matched: Mapping[str, bool] = getattr(self.view, "if_match", {})
        return matched

    def _refusals(self) -> tuple[str, ...]:
        """Return the refusals by status; a view names its own."""
        own: tuple[str, ...] = getattr(self.view, "refusals", ())
        if self.method in self._matched:
            own = (*own, "412", *(("428",) if self._matched[self.method] else ()))
        if self.method == "GET":
            return (*READING, *own)
        return (*(WRITING if self.method == "POST" else CHANGING), *own)

    def _get_response_headers_for_code(self, status_code: str, direction: Any = "response") -> Json:
        headers: Json = super()._get_response_headers_for_code(status_code, direction)
        for name in self._headers_of(status_code):
            headers.setdefault(name, {"$ref": f"#/components/headers/{name}"})
        return headers

    def _headers_of(self, status: str) -> list[str]:
        names = ["ETag"] if status in {"200", "201"} else []
        names += ["Location"] if status in {"201", "202"} else []
        return [*names, REPEATED] if self.method == "POST" and status < "300" else names
