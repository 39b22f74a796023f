"""Days without a leading zero; months and days of the week small, as `b` has them."""

from django.utils.translation import gettext_noop as _

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y, H:i"
MONTH_DAY_FORMAT = "j b"
SHORT_DATE_FORMAT = "j b Y"
SHORT_DATETIME_FORMAT = "j b Y, H:i"

# Django's Italian names have capitals; those of this project's catalogue come first.
MONTHS = (
    *(_("January"), _("February"), _("March"), _("April"), _("May"), _("June"), _("July")),
    *(_("August"), _("September"), _("October"), _("November"), _("December")),
)
WEEKDAYS = (
    *(_("Monday"), _("Tuesday"), _("Wednesday"), _("Thursday"), _("Friday"), _("Saturday")),
    _("Sunday"),
)
