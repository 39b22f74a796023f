import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0029_doubled_indexes'),
    ]

    operations = [
        # The table keeps its name, and the model becomes the one that reads the view.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel('AuditEntry', 'AuditRow'),
                migrations.AlterModelTable('auditrow', 'tournaments_auditentry'),
                migrations.AlterField(
                    model_name='auditrow',
                    name='club',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.club'),
                ),
                migrations.AlterField(
                    model_name='auditrow',
                    name='event',
                    field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.event'),
                ),
                migrations.AlterField(
                    model_name='auditrow',
                    name='user',
                    field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
                ),
                migrations.AlterModelOptions('auditrow', {}),
            ],
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
            options={
                'db_table': 'tournaments_auditline',
                'managed': False,
                'ordering': ['-pk'],
            },
        ),
        migrations.AlterField(
            model_name='delivery',
            name='line',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='deliveries', to='tournaments.auditentry'),
        ),
        migrations.CreateModel(
            name='FeedSpan',
            fields=[
                ('number', models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ('first', models.PositiveBigIntegerField(unique=True)),
                ('length', models.PositiveBigIntegerField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('length__gte', 1)), name='span_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='NewLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('told', models.BooleanField(default=True)),
            ],
        ),
        migrations.AddField(
            model_name='revision',
            name='club',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.club'),
        ),
        migrations.AddField(
            model_name='revision',
            name='by_phone',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='revision',
            name='address',
            field=models.GenericIPAddressField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='revision',
            name='result',
            field=models.CharField(blank=True, max_length=9),
        ),
    ]
