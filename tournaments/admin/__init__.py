"""The back office for the server's staff: read everything, and manage accounts.

It changes nothing of a club: results, people, roles and events have services, which check, lock and
add to the audit. It shows no secret that gives access to a table, a player or an account.
"""

from django.contrib import admin
from django.contrib.auth.models import Group

from tournaments.admin import accounts, clubs, play, programs, server, tournaments

__all__ = ["accounts", "clubs", "play", "programs", "server", "tournaments"]

admin.site.site_header = admin.site.site_title = "Kingscore"
admin.site.index_title = "Back office"
# There are no single permissions: staff members read, superusers manage accounts.
admin.site.unregister(Group)
