"""Sealing a contract on the phone that is handed to the declarer, and revealing it."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from tournaments.queries.sheets import load_sheet
from tournaments.services.play.sealing import SealNotOurs, reveal_contract, seal_contract
from tournaments.visitors import writable_game
from tournaments.web.scoring.pages import (
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
def seal(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Begin a deal with a contract that only the declarer knows."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    contract = request.POST.get("contract", "")
    # What was chosen goes back to no page, whatever is refused.
    return answer_write(request, row, lambda pen: seal_contract(row.pk, contract, pen), {})


@never_cache
@for_writing
def reveal(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the contract that was sealed, with its proof."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    position = number_in(request.POST, "position", -1)
    try:
        return answer_write(request, row, lambda pen: reveal_contract(row.pk, position, pen), {})
    except SealNotOurs:
        notice = _("This seal was not made here: whoever made it has to prove it.")
        return show_table(request, load_sheet(row), {}, Refusal(409, notice))
