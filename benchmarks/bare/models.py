"""One row."""

from django.db import models


class Line(models.Model):
    """What the bare view stores."""

    text = models.CharField(max_length=200)

    class Meta:
        app_label = "bare"

    def __str__(self) -> str:
        return self.text
