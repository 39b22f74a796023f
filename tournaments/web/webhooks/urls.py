"""Addresses of the pages of webhooks."""

from django.urls import path

from tournaments.web.webhooks import views

WEBHOOKS = "clubs/<slug:slug>/webhooks"
ONE = f"{WEBHOOKS}/<str:public_id>"

urlpatterns = [
    path(f"{WEBHOOKS}/", views.webhooks, name="webhooks"),
    path(f"{WEBHOOKS}/new/", views.new_webhook, name="new_webhook"),
    path(f"{ONE}/", views.webhook, name="webhook"),
    path(f"{ONE}/change/", views.change, name="change_webhook"),
    path(f"{ONE}/secret/", views.secret, name="webhook_secret"),
    path(f"{ONE}/pause/", views.pause, name="pause_webhook"),
    path(f"{ONE}/test/", views.test, name="test_webhook"),
    path(f"{ONE}/remove/", views.remove, name="remove_webhook"),
    path(f"{ONE}/deliveries/<str:delivery>/again/", views.again, name="send_again"),
]
"""`public_id` identifies the webhook."""
