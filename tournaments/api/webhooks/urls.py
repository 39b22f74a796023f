"""Addresses of webhooks: of a club, and of the server."""

from tournaments.api.views import Router
from tournaments.api.webhooks import views

router = Router()
for root, name in (("clubs/<slug:slug>/webhooks", "webhook"), ("webhooks", "server-webhook")):
    router.register(root, views.WebhookViewSet, name)
    deliveries = f"{root}/<str:public_id>/deliveries"
    router.register(deliveries, views.DeliveryViewSet, name.replace("webhook", "delivery"))

urlpatterns = router.urls
