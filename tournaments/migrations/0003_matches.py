import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0002_people_and_house_rules'),
    ]

    operations = [
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('length', models.CharField(choices=[('best-of', 'Best Of'), ('first-to', 'First To')], max_length=10)),
                ('number', models.PositiveSmallIntegerField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'matches',
                'constraints': [models.CheckConstraint(condition=models.Q(('length__in', ['best-of', 'first-to'])), name='match_length_known'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='match_of_one_game_or_more')],
            },
        ),
        migrations.AddField(
            model_name='game',
            name='match',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='games', to='tournaments.match'),
        ),
        migrations.AddField(
            model_name='game',
            name='match_number',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.UniqueConstraint(fields=('match', 'match_number'), name='game_one_per_number'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('match__isnull', True), ('match_number__isnull', True)), models.Q(('match__isnull', False), ('match_number__gte', 1), ('match_number__isnull', False)), _connector='OR'), name='game_number_in_its_match'),
        ),
    ]
