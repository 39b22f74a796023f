"""A POST that is sent twice with one `Idempotency-Key` is done once, and answered alike."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from cryptography.fernet import Fernet
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.models import IdempotencyRecord
from tournaments.models.people import ScopedToken
from tournaments.permissions import address_of
from tournaments.services.games.writing import KEY, BadKey, KeyReused

HEADER = "Idempotency-Key"
REPEATED = "Idempotency-Replayed"
KEPT_HEADERS = ("Location", "ETag", "Cache-Control")

Post = Callable[..., Response]


def idempotent(post: Post) -> Post:
    """Do what a view's `post` does once for each key.

    Key, work and answer are one transaction: who asks a second time meanwhile waits for the first.
    An exception takes all back, the key too; a refusal that is returned keeps what was written,
    and uses up no key either.
    """

    @wraps(post)
    def answered(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER)
        if key is None:
            return post(view, request, *args, **kwargs)
        if not KEY.fullmatch(key):
            raise BadKey
        said = _said(request, view.secret_fields)
        with transaction.atomic():
            kept, is_new = IdempotencyRecord.objects.get_or_create(
                key=_digest("key", asker_of(request), key),
                defaults={"request": said, "at": timezone.now()},
            )
            if not is_new:
                return _again(kept, said)
            response = post(view, request, *args, **kwargs)
            if response.status_code < 400:
                _keep(kept, response)
            else:
                kept.delete()
            return response

    return answered


def asker_of(request: Request) -> str:
    """Whose keys these are: a personal token's, a table's, or of nobody known at an IP address.

    Per token, not per account: another token may have fewer rights and must not see the answer.

    What somebody without a token was answered can hold keys: who says the same from elsewhere, as
    whoever tries the examples, is somebody else.
    """
    asker = request.auth
    if isinstance(asker, ScopedToken):
        return f"token {asker.public_id}"
    return str(asker or address_of(request._request))  # noqa: SLF001


def _said(request: Request, secret_fields: Collection[str]) -> str:
    said = request.data
    if isinstance(said, Mapping):
        said = {name: value for name, value in said.items() if name not in secret_fields}
    body = json.dumps(said, sort_keys=True)
    return _digest("request", request.method or "", request.get_full_path(), body)


def _digest(*parts: str) -> str:
    return salted_hmac("kingscore.idempotency", json.dumps(parts), algorithm="sha256").hexdigest()


def _seal() -> Fernet:
    key = salted_hmac("kingscore.answers", "seal", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))


def _keep(kept: IdempotencyRecord, response: Response) -> None:
    kept.status = response.status_code
    kept.headers = {name: response[name] for name in KEPT_HEADERS if name in response}
    kept.body = _seal().encrypt(JSONRenderer().render(response.data))
    kept.save()


def _again(kept: IdempotencyRecord, said: str) -> Response:
    if kept.request != said:
        raise KeyReused
    body = json.loads(_seal().decrypt(bytes(kept.body)) or "null")
    return Response(body, kept.status, headers={**kept.headers, REPEATED: "true"})
