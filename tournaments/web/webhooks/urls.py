"""Addresses of the pages of webhooks."""

from django.urls import path

from tournaments.web.webhooks import pages

WEBHOOKS = "clubs/<slug:slug>/webhooks"
ONE = f"{WEBHOOKS}/<str:public_id>"

urlpatterns = [
    path(f"{WEBHOOKS}/", pages.webhooks, name="webhooks"),
    path(f"{WEBHOOKS}/new/", pages.new_webhook, name="new_webhook"),
    path(f"{ONE}/", pages.webhook, name="webhook"),
    path(f"{ONE}/change/", pages.change, name="change_webhook"),
    path(f"{ONE}/secret/", pages.secret, name="webhook_secret"),
    path(f"{ONE}/pause/", pages.pause, name="pause_webhook"),
    path(f"{ONE}/test/", pages.test, name="test_webhook"),
    path(f"{ONE}/remove/", pages.remove, name="remove_webhook"),
    path(f"{ONE}/deliveries/<str:delivery>/again/", pages.again, name="send_again"),
]
"""`public_id` identifies the webhook."""
