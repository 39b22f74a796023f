from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0013_leaderboard'),
    ]

    operations = [
        migrations.AddField(
            model_name='club',
            name='logo',
            field=models.FileField(blank=True, upload_to='logos/'),
        ),
        migrations.AddField(
            model_name='club',
            name='paper',
            field=models.CharField(choices=[('a4', 'A4'), ('us-letter', 'Letter')], default='a4', max_length=9),
        ),
        migrations.AddConstraint(
            model_name='club',
            constraint=models.CheckConstraint(condition=models.Q(('paper__in', ['a4', 'us-letter'])), name='club_paper_known'),
        ),
    ]
