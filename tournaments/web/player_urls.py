"""Addresses of the pages of players."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
