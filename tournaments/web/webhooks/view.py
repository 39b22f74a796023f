"""Outcomes of deliveries as text."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.models import Delivery, EventType, Webhook
from tournaments.texts.labels import Text

TITLES: dict[str, Text] = {
    EventType.ROUND_PUBLISHED: gettext_lazy("Seating published"),
    EventType.GAME_BEGUN: gettext_lazy("Game begun"),
    EventType.RESULT_ENTERED: gettext_lazy("Result"),
    EventType.ROUND_CLOSED: gettext_lazy("Round closed"),
    EventType.TOURNAMENT_FINISHED: gettext_lazy("Tournament finished"),
    EventType.PLAYER_ADDED: gettext_lazy("Player added"),
    EventType.PLAYER_CHANGED: gettext_lazy("Player changed"),
    EventType.PLAYER_REMOVED: gettext_lazy("Player’s name removed"),
    EventType.ENTRANT_ADDED: gettext_lazy("Entrants registered"),
    EventType.ENTRANT_CHANGED: gettext_lazy("Entrant changed"),
    EventType.ENTRANT_REMOVED: gettext_lazy("Entrant struck off the list"),
    EventType.RATINGS_CHANGED: gettext_lazy("Ratings computed"),
    "test": gettext_lazy("Test"),
}

STATES: dict[str, Text] = {
    Delivery.State.WAITING: gettext_lazy("waiting"),
    Delivery.State.DELIVERED: gettext_lazy("delivered"),
    Delivery.State.FAILED: gettext_lazy("failed"),
}

WHY_NOT: dict[str, Text] = {
    "timeout": gettext_lazy("No answer within ten seconds"),
    "no-answer": gettext_lazy("No answer"),
    "bad-certificate": gettext_lazy("The certificate is not valid"),
    "not-called-host": gettext_lazy("There is no server of this name"),
    "not-called-private": gettext_lazy(
        "Not called: the address lies in a private network or on the server itself"
    ),
}


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """A delivery on the page; `next_at` is set if it will be retried."""

    row: Delivery
    title: str
    state: str
    answer: str
    next_at: datetime | None


def host_of(webhook: Webhook) -> str:
    return str(urlsplit(webhook.url).hostname)


def delivery_lines(rows: Iterable[Delivery], webhook: Webhook) -> list[DeliveryLine]:
    return [_line(row, webhook) for row in rows]


def _line(row: Delivery, webhook: Webhook) -> DeliveryLine:
    waits = row.state == Delivery.State.WAITING and row.tries > 0 and not webhook.paused
    return DeliveryLine(
        row,
        str(TITLES.get(row.type, row.type)),
        str(STATES[row.state]),
        _answer(row) if row.tries else "",
        row.next_at if waits else None,
    )


def _answer(row: Delivery) -> str:
    if not row.answer_status:
        return str(WHY_NOT.get(row.why_no_answer, row.why_no_answer))
    if 300 <= row.answer_status < 400:
        return _("It leads elsewhere (%(status)s), which is not followed") % {
            "status": row.answer_status
        }
    return str(row.answer_status)
