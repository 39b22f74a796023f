"""What templates need to write a score sheet."""

from django import template

from tournaments.messages import points_text

register = template.Library()

register.filter("points", points_text)
