"""Seal a contract on the phone handed to the declarer, and reveal it."""

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from tournaments.permissions import writable_row
from tournaments.queries.games.sheets import load_sheet
from tournaments.services.games.playing import SealNotOurs, reveal_contract, seal_contract
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.games.pages import (
    Refusal,
    answer_write,
    for_writing,
    handed_over,
    number_in,
    show_table,
)


@sensitive_post_parameters("contract")
@never_cache
@for_writing
def seal(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Begin a deal with a contract known only to the declarer."""
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    contract = request.POST.get("contract", "")
    # No page shows the choice again, whatever is refused.
    return answer_write(request, row, lambda context: seal_contract(row.pk, contract, context), {})


@never_cache
@for_writing
def reveal(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the sealed contract, with its proof."""
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    position = number_in(request.POST, "position", -1)
    try:
        return answer_write(
            request, row, lambda context: reveal_contract(row.pk, position, context), {}
        )
    except SealNotOurs as error:
        return show_table(request, load_sheet(row), {}, Refusal(409, str(error)))
