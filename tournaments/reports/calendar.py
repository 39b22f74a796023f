"""Events as iCalendar (RFC 5545), for calendars that subscribe to an address."""

from collections.abc import Callable, Iterable
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from tournaments.engine.rules.entries import clean_line
from tournaments.models import Event

if TYPE_CHECKING:
    from icalendar import Event as Entry

LASTS = timedelta(hours=4)
"""How long an evening with an hour takes up in the calendar."""

ASK_AGAIN = timedelta(hours=6)


def calendar_of(name: str, events: Iterable[Event], address: Callable[[Event], str]) -> bytes:
    """Return a calendar; `address` returns the whole address of an event's page.

    An event without an hour is one of the whole day. All hours are in UTC, so that no time zone
    has to be described.
    """
    # It takes 4 MB of memory, and few ask.
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", f"-//Kingscore//{(get_language() or 'en').upper()}")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", clean_line(name))
    calendar.add("refresh-interval", ASK_AGAIN, parameters={"value": "DURATION"})
    calendar.add("x-published-ttl", ASK_AGAIN)
    for event in events:
        calendar.add_component(_entry(event, address(event)))
    content: bytes = calendar.to_ical()
    return content


def _entry(event: Event, address: str) -> "Entry":
    from icalendar import Event as Entry

    entry = Entry()
    entry.add("uid", f"{event.public_id}@kingscore")
    # The same at each request, so that an unchanged calendar is answered with 304.
    entry.add("dtstamp", event.created_at.astimezone(UTC))
    if begins := event.begins:
        entry.add("dtstart", begins.astimezone(UTC))
        entry.add("dtend", begins.astimezone(UTC) + LASTS)
    else:
        entry.add("dtstart", event.held_on)
    entry.add("summary", clean_line(event.name))
    entry.add("description", f"{clean_line(event.club.name)}\n{address}")
    if event.venue:
        entry.add("location", clean_line(event.venue))
    entry.add("url", address)
    return entry
