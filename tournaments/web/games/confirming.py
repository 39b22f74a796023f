"""Confirming the result of a club's game."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournaments.models import Game
from tournaments.permissions import account_of, actor_of, writable_row
from tournaments.queries.games.sheets import load_sheet
from tournaments.services.games.playing import NotSeated, confirm_own_result, confirm_result
from tournaments.services.games.writing import NotFinished, StaleRevision
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.phone import address
from tournaments.web.games.pages import for_writing, handed_over, number_in, refusal_of, show_table


@never_cache
@for_writing
def confirm(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Confirm the result for one player, on the phone of the table."""
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    if row.table is None:
        raise Http404
    seat, revision = (number_in(request.POST, name, -1) for name in ("seat", "revision"))
    by = actor_of(request, row.table.public_id)
    try:
        sheet = confirm_result(row.pk, seat, revision, by, at=timezone.now())
    except NotSeated as error:
        raise Http404 from error
    except StaleRevision as stale:
        refusal = refusal_of(stale, stale.sheet)
        return show_table(request, stale.sheet, None, refusal)
    except NotFinished:
        return redirect(address(row, "write"))
    if request.htmx:
        return show_table(request, load_sheet(sheet.row))
    return redirect(address(row, "write"))


@never_cache
@require_POST
def confirm_own(request: HttpRequest, public_id: str) -> HttpResponse:
    """Confirm the result as the account of one of the players."""
    account = account_of(request)
    # Without this, an anonymous visitor would match any player without an account.
    if account is None:
        raise Http404
    mine = Game.objects.named(public_id).filter(seats__player__account=account)
    row = get_object_or_404(mine.filter(table__isnull=False))
    revision = number_in(request.POST, "revision", -1)
    try:
        confirm_own_result(row.pk, revision, actor_of(request), at=timezone.now())
    except NotSeated as error:
        raise Http404 from error
    except (StaleRevision, NotFinished):
        # The page shows the current result, which can be confirmed there.
        return redirect(f"{address(row, 'follow')}?changed=1")
    return redirect(address(row, "follow"))
