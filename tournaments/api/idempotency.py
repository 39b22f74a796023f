"""Idempotency keys: a POST that is sent twice with one key is done once."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Mapping
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
REPLAYED = "Idempotency-Replayed"
STORED_HEADERS = ("Location", "ETag", "Cache-Control")


def run_once(
    secret_fields: Collection[str],
    handler: Callable[..., Response],
    request: Request,
    *args: Any,
    **kwargs: Any,
) -> Response:
    """Return the handler's response; for a key that was sent before, the stored one.

    Key, work and response are one transaction: a second request meanwhile waits for the first. An
    exception takes all back, the key too; a refusal that is returned commits what was written, and
    uses up no key either.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return handler(request, *args, **kwargs)
    if not KEY.fullmatch(key):
        raise BadKey
    digest = _request_digest(request, secret_fields)
    with transaction.atomic():
        record, is_new = IdempotencyRecord.objects.get_or_create(
            key=_digest("key", owner_of_keys(request), key),
            defaults={"request": digest, "at": timezone.now()},
        )
        if not is_new:
            if record.request != digest:
                raise KeyReused
            body = json.loads(_cipher().decrypt(bytes(record.body)) or "null")
            return Response(body, record.status, headers={**record.headers, REPLAYED: "true"})
        response = handler(request, *args, **kwargs)
        if response.status_code < 400:
            headers = {name: response[name] for name in STORED_HEADERS if name in response}
            record.status, record.headers = response.status_code, headers
            record.body = _cipher().encrypt(JSONRenderer().render(response.data))
            record.save()
        else:
            record.delete()
        return response


def owner_of_keys(request: Request) -> str:
    """Return whose keys these are: those of a token, of a table, or of an IP address.

    Per token, not per account: another token may have fewer rights and must not see the response.
    Responses to requests without a token can hold keys: the same request from elsewhere, as when
    somebody tries the examples, is another one.
    """
    if isinstance(request.auth, ScopedToken):
        return f"token {request.auth.public_id}"
    return str(request.auth or address_of(request._request))  # noqa: SLF001


def _request_digest(request: Request, secret_fields: Collection[str]) -> str:
    data = request.data
    if isinstance(data, Mapping):
        data = {name: value for name, value in data.items() if name not in secret_fields}
    body = json.dumps(data, sort_keys=True)
    return _digest("request", request.method or "", request.get_full_path(), body)


def _digest(*parts: str) -> str:
    return salted_hmac("kingscore.idempotency", json.dumps(parts), algorithm="sha256").hexdigest()


def _cipher() -> Fernet:
    key = salted_hmac("kingscore.answers", "seal", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))
