"""What an owner says of a webhook."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import Happening, Webhook
from tournaments.services.webhooks.calling import BadAddress, check_url
from tournaments.services.webhooks.keeping import WebhookPlan
from tournaments.web.club_words import HAPPENINGS, choices_of

LONGEST_URL = Webhook._meta.get_field("url").max_length  # noqa: SLF001

BAD_ADDRESSES = {
    "scheme": _("The address begins with https:// or http://."),
    "host": _("This is no address of a server."),
    "login": _("Leave out the name and the password."),
    "port": _("This port is not called: 80, 443, or one from 1024."),
    "private": _(
        "The server does not call itself or a private network, and this address lies there."
    ),
}


class WebhookForm(forms.Form):
    """Where to call, and when."""

    url = forms.CharField(
        label=_("Address that is called"),
        max_length=LONGEST_URL,
        error_messages={"required": _("Where shall the server call?")},
        widget=forms.URLInput(attrs={"placeholder": "https://", "autocomplete": "off"}),
    )
    happenings = forms.MultipleChoiceField(
        label=_("Call when"),
        choices=choices_of(HAPPENINGS),
        initial=[str(each) for each in Happening],
        error_messages={"required": _("Choose at least one.")},
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> Any:
        """Refuse what may not be called, as far as it can be seen."""
        url = self.cleaned_data["url"]
        try:
            check_url(url)
        except BadAddress as error:
            raise forms.ValidationError(BAD_ADDRESSES[error.why]) from error
        return url

    @property
    def plan(self) -> WebhookPlan:
        """What was said, once the form is valid."""
        return WebhookPlan(self.cleaned_data["url"], self.cleaned_data["happenings"])
