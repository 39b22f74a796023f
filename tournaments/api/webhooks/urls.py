"""Addresses of webhooks."""

from django.urls import path

from tournaments.api.webhooks import views

WEBHOOKS = "clubs/<slug:slug>/webhooks"
ONE = f"{WEBHOOKS}/<str:public_id>"
DELIVERY = f"{ONE}/deliveries/<str:delivery>"

urlpatterns = [
    path(f"{WEBHOOKS}/", views.Webhooks.as_view(), name="webhooks"),
    path(f"{ONE}/", views.OneWebhook.as_view(), name="webhook"),
    path(f"{ONE}/secret/", views.WebhookSecret.as_view(), name="webhook_secret"),
    path(f"{ONE}/test/", views.Test.as_view(), name="test_webhook"),
    path(f"{ONE}/deliveries/", views.Deliveries.as_view(), name="deliveries"),
    path(f"{DELIVERY}/", views.OneDelivery.as_view(), name="delivery"),
    path(f"{DELIVERY}/again/", views.SendAgain.as_view(), name="send_again"),
]
