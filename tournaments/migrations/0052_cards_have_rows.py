"""Tournaments no longer hold cards in a document. PostgreSQL copies and drops in two steps."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0051_unused_cards"),
    ]

    operations = [
        migrations.RemoveField("tournament", "cards"),
    ]
