"""The form of a webhook."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import EventType, Webhook
from tournaments.services.webhooks.calling import BadAddress, WebhookPlan, check_url
from tournaments.texts.documents import EVENT_TYPES, choices_of

LONGEST_URL = Webhook._meta.get_field("url").max_length  # noqa: SLF001


class WebhookForm(forms.Form):
    """The address of a webhook, and its events."""

    url = forms.CharField(
        label=_("Address that is called"),
        max_length=LONGEST_URL,
        error_messages={"required": _("Where shall the server call?")},
        widget=forms.URLInput(attrs={"placeholder": "https://", "autocomplete": "off"}),
    )
    events = forms.MultipleChoiceField(
        label=_("Call when"),
        choices=choices_of(EVENT_TYPES),
        initial=[str(each) for each in EventType],
        error_messages={"required": _("Choose at least one.")},
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> Any:
        """Refuse an address that may not be called, as far as it shows."""
        url = self.cleaned_data["url"]
        try:
            check_url(url)
        except BadAddress as error:
            raise forms.ValidationError(str(error)) from error
        return url

    @property
    def plan(self) -> WebhookPlan:
        return WebhookPlan(self.cleaned_data["url"], self.cleaned_data["events"])
