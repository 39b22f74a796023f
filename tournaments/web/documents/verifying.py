"""The page that verifies an exported document, and looks up a printed code."""

from dataclasses import replace
from typing import Any

from allauth.core.ratelimit import consume, respond_429
from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.documents.games import ALPHABET, digits_of, letters_of, parse_json
from tournaments.engine.documents.results import Verification
from tournaments.engine.documents.tournaments import TOURNAMENT_FORMAT
from tournaments.engine.documents.verify import MOST_WORK, STRANGERS_WORK, verify
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Tournament
from tournaments.permissions import account_of
from tournaments.presenters.verification import verified_lines
from tournaments.queries.digests import find_code
from tournaments.services.base.writes import place_to_compute
from tournaments.services.checks.nights import compare_with_stored
from tournaments.texts.messages import explain

MOST_PROBLEMS = 20


class VerifyForm(forms.Form):
    """A document or a code; the code is written as it is printed."""

    file = forms.FileField(label=gettext_lazy("An exported document"), required=False)
    code = forms.CharField(
        label=gettext_lazy("A printed code of 12 letters"), required=False, max_length=20
    )

    def clean_code(self) -> str:
        """Return the digits that the letters stand for."""
        code = self.cleaned_data["code"]
        digits = digits_of(code)
        if code and digits is None:
            said = _("A code has 12 of these letters: %(letters)s.")
            raise forms.ValidationError(said, params={"letters": " ".join(ALPHABET)})
        return digits or ""

    def clean(self) -> dict[str, Any]:
        """Require one of the two."""
        given = self.cleaned_data
        if not self.errors and not given.get("file") and not given.get("code"):
            raise forms.ValidationError(_("Choose a file, or type a code."))
        return given


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def verify_page(request: HttpRequest) -> HttpResponse:
    """Verify a document, or say whether a code is what is stored."""
    if request.method != "POST":
        # A code in the address only fills the form: nothing is looked up by following a link.
        form = VerifyForm(initial={"code": request.GET.get("code", "")[:20]})
        return _shown(request, form)
    form = VerifyForm(request.POST, request.FILES)
    if not form.is_valid():
        return _shown(request, form, 422)
    action = "verify_document" if form.cleaned_data["file"] else "verify_code"
    if not consume(request, action=action):
        refused: HttpResponse = respond_429(request)
        return refused
    if form.cleaned_data["file"]:
        return _verified(request, form)
    digits = form.cleaned_data["code"]
    found = find_code(digits, account_of(request))
    page = {"code": letters_of(digits), "found": found}
    return _shown(request, form, asked=page)


def _verified(request: HttpRequest, form: VerifyForm) -> HttpResponse:
    kind = "accounts" if account_of(request) else "strangers"
    with place_to_compute(kind) as is_free:
        if not is_free:
            form.add_error(None, _("Other documents are being verified: try again in a minute."))
            return _shown(request, form, 422)
        verification = _verification(request, form)
    page = {
        "agrees": verification.agrees,
        "is_whole": verification.is_whole,
        "lines": list(verified_lines(verification)),
        "problems": [(each.where, explain(each)) for each in verification.problems[:MOST_PROBLEMS]],
        "code": letters_of(verification.digest) if verification.digest else "",
    }
    return _shown(request, form, verified=page)


def _verification(request: HttpRequest, form: VerifyForm) -> Verification:
    try:
        document = parse_json(form.cleaned_data["file"].read())
    except InvalidEntry as invalid:
        return Verification("", problems=invalid.problems)
    most_work = MOST_WORK if account_of(request) else STRANGERS_WORK
    verification = verify(document, most_work)
    if verification.problems or verification.document_format != TOURNAMENT_FORMAT:
        return verification
    rows = Tournament.objects.seen_by(account_of(request)).select_related("event__club")
    row = rows.filter(slug=document["tournament"]["slug"]).first()
    if row is None:
        return verification
    points = [*verification.points, *compare_with_stored(document, row, most_work)]
    return replace(verification, points=points)


def _shown(request: HttpRequest, form: VerifyForm, status: int = 200, **page: Any) -> HttpResponse:
    template = "tournaments/documents/verify.html"
    return render(request, template, {"form": form, **page}, status=status)
