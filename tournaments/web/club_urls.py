"""Addresses of the pages of clubs."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
