"""Addresses of webhooks."""

from collections.abc import Iterator

from django.urls import URLPattern, path

from tournaments.api.webhooks import views


def _webhooks(root: str, prefix: str) -> Iterator[URLPattern]:
    """Yield the addresses of the webhooks below `root`; `prefix` tells their names apart."""
    one = f"{root}/<str:public_id>"
    delivery = f"{one}/deliveries/<str:delivery>"
    yield path(f"{root}/", views.Webhooks.as_view(), name=f"{prefix}webhooks")
    yield path(f"{one}/", views.OneWebhook.as_view(), name=f"{prefix}webhook")
    yield path(f"{one}/secret/", views.WebhookSecret.as_view(), name=f"{prefix}webhook_secret")
    yield path(f"{one}/test/", views.Test.as_view(), name=f"{prefix}test_webhook")
    yield path(f"{one}/deliveries/", views.Deliveries.as_view(), name=f"{prefix}deliveries")
    yield path(f"{delivery}/", views.OneDelivery.as_view(), name=f"{prefix}delivery")
    yield path(f"{delivery}/again/", views.SendAgain.as_view(), name=f"{prefix}send_again")


urlpatterns = [*_webhooks("clubs/<slug:slug>/webhooks", ""), *_webhooks("webhooks", "server_")]
