"""The table of the bare view."""

from django.db import models


class Line(models.Model):
    """The row that the bare view inserts."""

    text = models.CharField(max_length=200)

    class Meta:
        app_label = "bare"

    def __str__(self) -> str:
        return self.text
