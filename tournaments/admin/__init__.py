"""The back office, for whoever runs the server: to read everything, and to keep the accounts.

Nothing of a club is changed here: results, people, roles and events have services, which check,
lock and add to the audit. Nothing is shown that opens a table, a player or an account.
"""

from django.contrib import admin
from django.contrib.auth.models import Group

from tournaments.admin import accounts, clubs, play, programs, server, tournaments

__all__ = ["accounts", "clubs", "play", "programs", "server", "tournaments"]

admin.site.site_header = admin.site.site_title = "Kingscore"
admin.site.index_title = "Back office"
# Nobody is given single permissions: a staff member reads, a superuser keeps the accounts.
admin.site.unregister(Group)
