from datetime import UTC, date, datetime, timedelta

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import OperationalError

from tests.club_factories import AccountFactory, MemberFactory, PlayerFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, UserFactory
from tournaments.models import Check, Difference, Email, Game, Player
from tournaments.services.checks import nights
from tournaments.services.checks.nights import claim_check, night_of, sweep_checks
from tournaments.services.emails import sweep_emails

pytestmark = pytest.mark.django_db

NIGHT = datetime(2026, 11, 22, 1, 5, tzinfo=UTC)
"""Five past four in Istanbul."""

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.fixture
def club():
    table = TableFactory(number=1, entries=WHOLE_GAME)
    TableFactory(round=table.round, number=2, entries=WHOLE_GAME[:2])
    row = table.round.event.club
    for role in ("owner", "director"):
        MemberFactory(club=row, role=role, user__username=role)
    return row


def spoil():
    Game.objects.filter(result__isnull=False).update(result={"totals": [1, 2, 3]})


def told():
    return [(letter.user.username, letter.about) for letter in Email.objects.order_by("pk")]


def test_night_begins_at_four_by_the_clock_on_the_wall():
    moments = (NIGHT - 6 * MINUTE, NIGHT, NIGHT + DAY / 2, datetime(2026, 7, 1, 1, 0, tzinfo=UTC))

    assert [night_of(at) for at in moments] == [
        date(2026, 11, 21),
        date(2026, 11, 22),
        date(2026, 11, 22),
        date(2026, 7, 1),
    ]


def test_right_club_is_checked_once_a_night_and_nobody_is_told(club):
    GameFactory(entries=WHOLE_GAME)

    for at in (NIGHT, NIGHT + MINUTE, NIGHT + DAY / 2, NIGHT + DAY):
        sweep_checks(at)

    first, second = Check.objects.order_by("night")
    assert (first.night, second.night) == (date(2026, 11, 22), date(2026, 11, 23))
    assert (first.games, first.found, first.error) == (3, 0, "")
    assert first.started_at == NIGHT
    assert first.finished_at is not None
    assert not Difference.objects.exists()
    assert told() == []


def test_owner_is_told_once_and_sees_it_until_it_is_right(club, client):
    owner, director = (club.members.get(role=role).user for role in ("owner", "director"))

    def seen_by(user):
        client.force_login(user)
        return "Results of games: 1" in client.get(f"/clubs/{club.slug}/").text

    spoil()
    for night in range(3):
        sweep_checks(NIGHT + night * DAY)
    assert (Check.objects.count(), Difference.objects.count()) == (3, 1)
    assert told() == [("owner", f"check:{Check.objects.last().pk}:{club.pk}")]
    assert (seen_by(owner), seen_by(director)) == (True, False)

    call_command("rebuild_results")
    sweep_checks(NIGHT + 3 * DAY)
    assert not seen_by(owner)
    assert Difference.objects.get().resolved_at is not None
    assert len(told()) == 1

    spoil()
    sweep_checks(NIGHT + 4 * DAY)
    assert len(told()) == 2


def test_letter_tells_in_every_language_what_was_found_and_goes_to_its_reader_alone(club):
    spoil()
    sweep_checks(NIGHT)

    for minutes in (0, 1, 60):
        sweep_emails(NIGHT + minutes * MINUTE)

    (sent,) = mail.outbox
    assert sent.to == ["owner@example.org"]
    assert f"Club: {club.name}" in sent.body
    assert sent.body.count("manage.py check_caches --repair") == 3
    assert "Results of games: 1" in sent.body


def test_every_cache_has_its_line_in_the_letter_and_on_the_page_of_the_club(club, client):
    for name in nights.CACHES:
        Difference.objects.create(club=club, cache=name, subject=name, first_at=NIGHT)

    nights.write_notices(Check.objects.create(night=NIGHT.date(), started_at=NIGHT), NIGHT)

    client.force_login(club.members.get(role="owner").user)
    texts = Email.objects.get().body, client.get(f"/clubs/{club.slug}/").text
    for cache in nights.CACHES.values():
        assert [f"{cache.label}: 1" in text for text in texts] == [True, True], cache.label


def test_what_is_the_servers_goes_to_superusers(club):
    UserFactory(username="keeper", is_superuser=True, email="keeper@example.org")
    UserFactory(username="staff", email="staff@example.org")
    game = GameFactory(entries=WHOLE_GAME)
    Game.objects.filter(pk=game.pk).update(revision=3)

    sweep_checks(NIGHT)

    assert {each.cache for each in Difference.objects.filter(club=None)} == {"revisions", "results"}
    assert told() == [("keeper", f"check:{Check.objects.get().pk}:server")]


def test_check_whose_worker_was_lost_is_begun_again_after_an_hour(club):
    spoil()
    lost = claim_check(night_of(NIGHT), NIGHT)
    nights._run(lost, "results")

    sweep_checks(NIGHT + 59 * MINUTE)
    assert Check.objects.get().finished_at is None
    sweep_checks(NIGHT + 61 * MINUTE)

    check = Check.objects.get()
    assert (check.games, check.found, Difference.objects.count()) == (2, 1, 1)
    assert check.finished_at is not None
    assert len(told()) == 1


def test_check_of_a_database_that_is_away_is_left_to_another_worker(club, monkeypatch):
    def away():
        raise OperationalError

    with monkeypatch.context() as patched:
        patched.setattr(nights, "CACHES", {"results": nights.Cache("", away, list)})
        with pytest.raises(OperationalError):
            sweep_checks(NIGHT)

    assert Check.objects.get().finished_at is None


def test_cache_that_cannot_be_looked_at_is_passed_over_and_told_to_the_server(club, caplog):
    UserFactory(username="keeper", is_superuser=True, email="keeper@example.org")
    # Nothing that a service would write: whoever computes from it breaks.
    PlayerFactory(club=club, name="Işıl Yılmaz")
    Game.objects.filter(result__isnull=False).update(ruleset="no-such-game", digest="")

    sweep_checks(NIGHT)

    check = Check.objects.get()
    assert (check.error, check.finished_at is None) == ("results: KeyError", False)
    assert check.rows > check.games == 0
    assert told() == [("keeper", f"check:{check.pk}:server")]
    assert "Işıl" not in caplog.text


def test_command_tells_repairs_and_takes_the_notice_away(club, capsys):
    call_command("check_caches")
    assert "every cache is what it is computed from" in capsys.readouterr().out
    spoil()
    sweep_checks(NIGHT)
    player = Player.objects.first()
    Player.objects.filter(pk=player.pk).update(name_key="x")

    with pytest.raises(CommandError, match="2 differences"):
        call_command("check_caches")

    said = capsys.readouterr().out
    assert f"results: game:{Game.objects.get(revision__gt=9).public_id}: " in said
    assert f"folded-names: player:{player.pk}\n" in said
    call_command("check_caches", "--repair")
    assert not Difference.objects.open().exists()
    call_command("check_caches")


def test_letter_waits_for_a_mail_server_that_is_down_and_is_sent_once(settings, caplog):
    owner = AccountFactory(username="owner")
    Email.objects.create(user=owner, about="a", subject="s", body="b", written_at=NIGHT)
    backend, settings.EMAIL_BACKEND = (
        settings.EMAIL_BACKEND,
        "django.core.mail.backends.smtp.EmailBackend",
    )
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1

    sweep_emails(NIGHT)
    settings.EMAIL_BACKEND = backend
    for minutes in (1, 5, 10):
        sweep_emails(NIGHT + minutes * MINUTE)

    assert [sent.to for sent in mail.outbox] == [["owner@example.org"]]
    assert Email.objects.get().tries == 2
    assert "ConnectionRefusedError" in caplog.text
    assert "example.org" not in caplog.text
