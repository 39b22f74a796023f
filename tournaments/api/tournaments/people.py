"""Players as tournaments name them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.models import Player


class PlayerNameSerializer(serializers.Serializer[Any]):
    """A player by name; members of the club get the id, others null.

    The name is empty of whoever was removed.
    """

    id = serializers.SerializerMethodField()
    name = serializers.SerializerMethodField()

    @extend_schema_field({"type": ["string", "null"]})
    def get_id(self, player: Player) -> str | None:
        return player.public_id if self.context.get("member") else None

    def get_name(self, player: Player) -> str:
        whole = self.context.get("directs") and player.name
        return str(whole or player.shown_name)
