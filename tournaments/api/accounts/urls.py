"""Addresses of one's own account."""

from tournaments.api.accounts import views
from tournaments.api.views import Router

router = Router()
router.register("me", views.AccountViewSet, "me")
router.register("tokens", views.TokenViewSet, "token")
router.register("me/players", views.OwnPlayerViewSet, "my-player")
router.register("claim", views.ClaimCodeViewSet, "claim-code")
router.register("claim/<str:public_id>/<str:secret>", views.ClaimViewSet, "claim")
router.register("me/clubs/<slug:slug>/month", views.MonthViewSet, "my-month")

urlpatterns = router.urls
