from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0007_deal_confirmations"),
    ]

    operations = [
        migrations.AddField(
            model_name="entrant",
            name="section",
            field=models.CharField(blank=True, max_length=1),
        ),
    ]
