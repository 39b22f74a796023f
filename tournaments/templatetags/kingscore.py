"""What templates need to write a score sheet."""

from django import template

from tournaments.words import points_text

register = template.Library()

register.filter("points", points_text)
