"""Choices have the names that people see: nothing changes in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0056_no_partitions'),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditrow',
            name='kind',
            field=models.CharField(choices=[('result', 'Results'), ('player', 'Players'), ('role', 'Roles'), ('settings', 'Settings'), ('event', 'Evenings')], max_length=8),
        ),
        migrations.AlterField(
            model_name='club',
            name='confirmations',
            field=models.CharField(choices=[('none', 'nobody'), ('two', 'any two players of the table'), ('all', 'all players of the table')], default='none', max_length=4),
        ),
        migrations.AlterField(
            model_name='club',
            name='paper',
            field=models.CharField(choices=[('a4', 'A4'), ('us-letter', 'US Letter')], default='a4', max_length=9),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='state',
            field=models.CharField(choices=[('waiting', 'waiting'), ('delivered', 'delivered'), ('failed', 'failed')], default='waiting', max_length=9),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='type',
            field=models.CharField(choices=[('round.published', 'the seating of a round is published'), ('game.begun', 'a game is begun'), ('result.entered', 'a result is entered or corrected'), ('round.closed', 'a round is closed'), ('tournament.finished', 'a tournament is finished'), ('player.added', 'a player is added'), ('player.changed', 'a player is renamed, merged or claimed'), ('player.removed', 'a player’s name is removed'), ('entrant.added', 'entrants are registered'), ('entrant.changed', 'an entrant changes, withdraws or comes back'), ('entrant.removed', 'an entrant is struck off the list'), ('ratings.changed', 'ratings are computed')], max_length=24),
        ),
        migrations.AlterField(
            model_name='event',
            name='confirmations',
            field=models.CharField(choices=[('none', 'nobody'), ('two', 'any two players of the table'), ('all', 'all players of the table')], default='none', max_length=4),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='role',
            field=models.CharField(choices=[('owner', 'owner'), ('director', 'director'), ('member', 'member')], default='member', max_length=8),
        ),
        migrations.AlterField(
            model_name='member',
            name='role',
            field=models.CharField(choices=[('owner', 'owner'), ('director', 'director'), ('member', 'member')], default='member', max_length=8),
        ),
        migrations.AlterField(
            model_name='report',
            name='kind',
            field=models.CharField(choices=[('scoresheet', 'Scoresheet'), ('empty-sheet', 'Empty sheet'), ('evening', 'The evening'), ('sheets', 'All scoresheets'), ('table-cards', 'Table cards'), ('name-badges', 'Name badges'), ('seating-by-table', 'Seating by table'), ('seating-by-name', 'Seating by name'), ('standings', 'Standings'), ('cross-table', 'Cross-table'), ('booklet', 'Booklet of the tournament'), ('certificates', 'Certificates'), ('player-season', 'A player’s season'), ('club-month', 'The club’s month'), ('league', 'League'), ('picture', 'Picture of the result')], max_length=20),
        ),
        migrations.AlterField(
            model_name='report',
            name='paper',
            field=models.CharField(choices=[('a4', 'A4'), ('us-letter', 'US Letter')], default='a4', max_length=9),
        ),
        migrations.AlterField(
            model_name='report',
            name='state',
            field=models.CharField(choices=[('waiting', 'being made'), ('building', 'being made'), ('done', 'ready'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='waiting', max_length=10),
        ),
        migrations.AlterField(
            model_name='revision',
            name='kind',
            field=models.CharField(choices=[('entry', 'written'), ('completion', 'played out'), ('reveal', 'revealed'), ('correction', 'corrected'), ('withdrawal', 'taken off'), ('head', 'names, seats or rules changed')], max_length=10),
        ),
        migrations.AlterField(
            model_name='ruling',
            name='kind',
            field=models.CharField(choices=[('penalty', 'Penalty'), ('adjusted', 'Adjusted score'), ('forfeit', 'Forfeit'), ('absent', 'Absent')], max_length=8),
        ),
        migrations.AlterField(
            model_name='season',
            name='league_points',
            field=models.CharField(blank=True, choices=[('', 'what its tournaments count'), ('game', 'the points of the game'), ('places', 'points for the place at the table'), ('out', '1 for each game out or won'), ('pair-difference', 'how far ahead of the others'), ('evening', 'places of the evening')], default='', max_length=15),
        ),
        migrations.AlterField(
            model_name='tournament',
            name='state',
            field=models.CharField(choices=[('draft', 'draft'), ('registration', 'registration is open'), ('running', 'running'), ('finished', 'finished')], default='draft', max_length=12),
        ),
    ]
