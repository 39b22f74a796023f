from django.db import migrations, models


class Migration(migrations.Migration):
    """Names of the API's fields for those of webhooks and their deliveries."""

    dependencies = [("tournaments", "0040_partitions")]

    operations = [
        migrations.RemoveConstraint("webhook", "webhook_is_about_something"),
        migrations.RemoveConstraint("delivery", "delivery_once_about_a_change"),
        migrations.RenameField("webhook", "happenings", "events"),
        migrations.RenameField("delivery", "happening", "type"),
        migrations.AddConstraint(
            "webhook",
            models.CheckConstraint(
                condition=~models.Q(events=[]), name="webhook_is_about_something"
            ),
        ),
        migrations.AddConstraint(
            "delivery",
            models.UniqueConstraint(
                fields=["webhook", "line", "type"], name="delivery_once_about_a_change"
            ),
        ),
    ]
