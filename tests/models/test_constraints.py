import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import UniqueConstraint
from django.utils import timezone

from tests.check_factories import DifferenceFactory, EmailFactory
from tests.club_factories import (
    AccountFactory,
    AuditEntryFactory,
    ClubFactory,
    EntrantFactory,
    EventFactory,
    InvitationFactory,
    MemberFactory,
    PlayerFactory,
    RoundFactory,
    RulingFactory,
    SeasonFactory,
    SittingFactory,
    SubstituteFactory,
    TableFactory,
    TournamentFactory,
)
from tests.factories import (
    EVENING,
    GameFactory,
    GamePhotoFactory,
    HouseRulesetFactory,
    ReportFactory,
    RevisionFactory,
    UserFactory,
)
from tests.program_factories import (
    DeliveryFactory,
    IdempotencyRecordFactory,
    TokenFactory,
    WebhookFactory,
)
from tests.rating_factories import (
    PlayerRatingFactory,
    RatedRoundFactory,
    RatingChangeFactory,
    RatingPoolFactory,
)
from tournaments import models

pytestmark = pytest.mark.django_db


def two(factory, **same):
    factory(**same)
    factory(**same)


def of_one_player(factory, *fields):
    factory(**dict.fromkeys(fields, PlayerFactory()))


def match(length="best-of", number=3):
    return models.Match.objects.create(length=length, number=number, created_at=timezone.now())


def merge(kept, gone):
    return models.Merge.objects.create(
        kept=kept, gone=gone, seats=[], account_moved=False, at=EVENING
    )


def card_twice(**same):
    tournament = TournamentFactory()
    for n in (1, 2):
        own = {"round": n, "number": n, "public_id": f"234567892{n}"}
        models.UnusedCard.objects.create(tournament=tournament, **own | same)


def sit(*places):
    """Players of one club at seats of one game: `places` are (who, where)."""
    game, club = GameFactory(), ClubFactory()
    players = {who: PlayerFactory(club=club) for who, _ in places}
    for who, number in places:
        models.Seat.objects.create(game=game, number=number, player=players[who])


def confirm(*seats):
    game = GameFactory()
    for seat in seats:
        models.Confirmation.objects.create(game=game, seat=seat, revision=1, at=EVENING)


def review(*kinds, **fields):
    game, said = GameFactory(), {"position": 0, "revision": 1, "seat": 1, "at": EVENING} | fields
    for kind in kinds:
        models.DealReview.objects.create(game=game, kind=kind, **said)


def update_game(**fields):
    models.Game.objects.filter(pk=GameFactory().pk).update(**fields)


def name_alike():
    update_game(public_id=GameFactory().public_id)


def follow_twice():
    before, *others = (GameFactory() for _ in range(3))
    pks = [game.pk for game in others]
    models.Game.objects.filter(pk__in=pks).update(open_table=before.open_table, number=2)


def worker(**fields):
    new = {"name": "host:1", "version": "1", "started_at": EVENING, "seen_at": EVENING}
    models.Worker.objects.create(**(new | fields))


def subscribe(*rows, **fields):
    keys = {"endpoint": "https://push.example/1", "p256dh": "k", "auth": "a"}
    of_phone = {"phone": "a phone", **keys, "created_at": EVENING}
    return [models.Subscription.objects.create(**of_phone | each | fields) for each in rows]


def notify(**fields):
    (to,) = subscribe({"user": AccountFactory()})
    new = {"subscription": to, "round": RoundFactory(), "value": "1", "expires_at": EVENING}
    for _twice in range(2):
        models.Notification.objects.create(**new | {"kind": "time"} | fields)


REFUSED = {
    "saved_game_once": [
        lambda: two(
            models.SavedGame.objects.create, game=GameFactory(), user=UserFactory(), generation=1
        )
    ],
    "game_generations_from_one": [
        lambda: update_game(write_generation=0),
        lambda: update_game(follow_generation=0),
    ],
    "game_first_declarer_is_a_seat": [lambda: update_game(first_declarer=6)],
    "game_one_per_public_id": [name_alike],
    "game_one_per_start_key": [
        lambda: two(models.Game.objects.create, players=[], start_key="k", played_at=EVENING)
    ],
    "game_one_per_number": [lambda: two(update_game, match=match(), match_number=1)],
    "game_one_per_number_at_table": [follow_twice],
    "game_number_at_its_table": [
        lambda: update_game(number=None),
        lambda: update_game(open_table=None),
        lambda: update_game(number=0),
    ],
    "open_table_generation_from_one": [
        lambda: GameFactory() and models.OpenTable.objects.update(generation=0)
    ],
    "game_number_in_its_match": [
        lambda: update_game(match_number=1),
        lambda: update_game(match=match()),
        lambda: update_game(match=match(), match_number=0),
    ],
    "club_has_a_slug": [lambda: ClubFactory(slug="")],
    "club_has_a_name": [lambda: ClubFactory(name="")],
    "club_confirmations_known": [lambda: ClubFactory(confirmations="any")],
    "club_paper_known": [lambda: ClubFactory(paper="a3")],
    "member_once_in_a_club": [
        lambda: two(MemberFactory, club=ClubFactory(), user=AccountFactory())
    ],
    "member_role_known": [lambda: MemberFactory(role="guest")],
    "invitation_role_known": [lambda: InvitationFactory(role="guest", most_uses=1)],
    "invitation_of_staff_once": [
        lambda: InvitationFactory(role="owner", most_uses=2),
        lambda: InvitationFactory(role="director", most_uses=None),
    ],
    "invitation_not_overused": [lambda: InvitationFactory(most_uses=2, uses=3)],
    "season_one_per_name": [lambda: two(SeasonFactory, club=ClubFactory(), name="2026/27")],
    "season_has_a_name": [lambda: SeasonFactory(name="")],
    "season_ends_after_it_starts": [
        lambda: SeasonFactory(starts_on="2026-09-02", ends_on="2026-09-01")
    ],
    "season_counts_one_or_more": [lambda: SeasonFactory(league_best=0)],
    "season_league_points_known": [lambda: SeasonFactory(league_points="kings")],
    "player_one_per_name": [lambda: two(PlayerFactory, club=ClubFactory(), name="Işıl")],
    "player_one_per_account": [
        lambda: two(PlayerFactory, club=ClubFactory(), account=AccountFactory())
    ],
    "player_named_until_removed": [
        lambda: PlayerFactory(name=""),
        lambda: PlayerFactory(removed_at=EVENING),
        lambda: PlayerFactory(name="", account=AccountFactory(), removed_at=EVENING),
    ],
    "player_merged_no_account": [
        lambda: PlayerFactory(merged_into=PlayerFactory(), account=AccountFactory())
    ],
    "merge_one_at_a_time": [lambda: two(merge, kept=PlayerFactory(), gone=PlayerFactory())],
    "merge_of_two": [lambda: of_one_player(merge, "kept", "gone")],
    "event_has_a_name": [lambda: EventFactory(name="")],
    "event_one_per_start_key": [lambda: two(EventFactory, start_key="k")],
    "event_confirmations_known": [lambda: EventFactory(confirmations="any")],
    "round_one_per_number": [lambda: two(RoundFactory, event=EventFactory(), number=1)],
    "round_number_from_one": [lambda: RoundFactory(number=0)],
    "round_opened_before_closed": [lambda: RoundFactory(opened_at=None, closed_at=EVENING)],
    "round_published_before_opened": [lambda: RoundFactory(seating={}, opened_at=EVENING)],
    "tournament_has_a_slug": [lambda: TournamentFactory(slug="")],
    "tournament_state_known": [lambda: TournamentFactory(state="lost")],
    "entrant_one_per_number": [
        lambda: two(EntrantFactory, tournament=TournamentFactory(), number=1)
    ],
    "entrant_one_per_player": [
        lambda: two(EntrantFactory, tournament=TournamentFactory(), player=PlayerFactory())
    ],
    "entrant_one_per_partner": [
        lambda: two(EntrantFactory, tournament=TournamentFactory(), partner=PlayerFactory())
    ],
    "entrant_pair_of_two": [lambda: of_one_player(EntrantFactory, "player", "partner")],
    "entrant_missed_known": [lambda: EntrantFactory(missed="double")],
    "entrant_numbers_from_one": [
        lambda: EntrantFactory(number=0),
        lambda: EntrantFactory(joins_in=0),
    ],
    "sitting_one_per_round": [
        lambda: two(SittingFactory, round=RoundFactory(), entrant=EntrantFactory())
    ],
    "sitting_one_per_side": [lambda: two(SittingFactory, table=TableFactory(), side=0)],
    "sitting_at_a_side_or_out": [
        lambda: SittingFactory(side=0),
        lambda: SittingFactory(table=TableFactory()),
        lambda: SittingFactory(table=TableFactory(), side=4),
    ],
    "substitute_one_per_round": [
        lambda: two(SubstituteFactory, entrant=EntrantFactory(), instead_of=PlayerFactory())
    ],
    "substitute_is_another": [lambda: of_one_player(SubstituteFactory, "player", "instead_of")],
    "substitute_round_from_one": [lambda: SubstituteFactory(round_number=0)],
    "ruling_kind_known": [lambda: RulingFactory(kind="praise")],
    "ruling_has_a_reason": [lambda: RulingFactory(reason="")],
    "ruling_one_result": [
        lambda: two(RulingFactory, round=RoundFactory(), entrant=EntrantFactory(), kind="forfeit")
    ],
    "unused_card_one_per_public_id": [lambda: card_twice(public_id="2345678923")],
    "unused_card_one_per_place": [lambda: card_twice(round=1, number=1)],
    "table_one_per_public_id": [lambda: two(TableFactory, public_id="2345678923")],
    "table_one_per_number": [lambda: two(TableFactory, round=RoundFactory(), number=1)],
    "table_numbers_from_one": [lambda: TableFactory(number=0), lambda: TableFactory(generation=0)],
    "seat_one_player": [lambda: sit(("Ayşe", 0), ("Burak", 0))],
    "seat_one_per_player": [lambda: sit(("Ayşe", 0), ("Ayşe", 1))],
    "seat_number_is_a_seat": [lambda: sit(("Ayşe", 6))],
    "deal_review_one_of_a_kind": [lambda: review("confirmed", "confirmed")],
    "deal_review_kind_known": [lambda: review("praised")],
    "deal_review_seat_unless_settled": [
        lambda: review("settled"),
        lambda: review("confirmed", seat=None),
        lambda: review("confirmed", seat=6),
    ],
    "deal_review_body_if_disputed": [
        lambda: review("disputed"),
        lambda: review("confirmed", body={"type": "deal"}),
    ],
    "confirmation_one_per_seat": [lambda: confirm(2, 2)],
    "confirmation_seat_is_a_seat": [lambda: confirm(6)],
    "audit_kind_known": [lambda: AuditEntryFactory(kind="weather")],
    "span_not_empty": [lambda: models.FeedSpan.objects.create(number=1, first=1, length=0)],
    "audit_says_what_was_done": [lambda: AuditEntryFactory(action="")],
    "match_length_known": [lambda: match(length="for-ever")],
    "match_of_one_game_or_more": [lambda: match(number=0)],
    "revision_one_per_revision": [lambda: two(RevisionFactory, game=GameFactory(), revision=1)],
    "revision_kind_known": [lambda: RevisionFactory(kind="erasure")],
    "revision_position_unless_head": [
        lambda: RevisionFactory(kind="head", position=0),
        lambda: RevisionFactory(kind="entry", position=None),
        lambda: RevisionFactory(kind="correction", position=None),
        lambda: RevisionFactory(kind="completion", position=None),
        lambda: RevisionFactory(kind="reveal", position=None),
        lambda: RevisionFactory(kind="withdrawal", position=None, body=None),
    ],
    "revision_body_unless_withdrawal": [
        lambda: RevisionFactory(kind="withdrawal"),
        lambda: RevisionFactory(kind="entry", body=None),
        lambda: RevisionFactory(kind="correction", body=None),
        lambda: RevisionFactory(kind="completion", body=None),
        lambda: RevisionFactory(kind="reveal", body=None),
        lambda: RevisionFactory(kind="head", position=None, body=None),
    ],
    "revision_key_not_empty": [lambda: RevisionFactory(key="")],
    "revision_number_from_one": [lambda: RevisionFactory(revision=0)],
    "game_photo_state_known": [lambda: GamePhotoFactory(state="lost")],
    "game_photo_one_current": [lambda: two(GamePhotoFactory, game=GameFactory())],
    "game_photo_confirmed_without_pictures": [
        lambda: GamePhotoFactory(state="confirmed"),
        lambda: GamePhotoFactory(state="confirmed", page=b"", pictures=b"one"),
    ],
    "report_state_known": [lambda: ReportFactory(state="lost")],
    "report_done_has_file": [lambda: ReportFactory(state="done")],
    "report_format_known": [lambda: ReportFactory(format="doc")],
    "report_paper_known": [lambda: ReportFactory(paper="a5")],
    "report_audience_belongs_to_a_club": [
        lambda: ReportFactory(audience="all"),
        lambda: ReportFactory(audience="members"),
        lambda: ReportFactory(audience="directors"),
        lambda: ReportFactory(audience="visitors", club=ClubFactory()),
    ],
    "report_done_within_total": [lambda: ReportFactory(done=2, total=1)],
    "house_ruleset_has_a_slug": [lambda: HouseRulesetFactory(slug="")],
    "house_ruleset_has_a_name": [lambda: HouseRulesetFactory(name="")],
    "house_ruleset_revision_from_one": [lambda: HouseRulesetFactory(revision=0)],
    "delivery_one_per_public_id": [lambda: two(DeliveryFactory, public_id="2345678923")],
    "kept_sums_once": [
        lambda: two(
            models.KeptSums.objects.create, player=PlayerFactory(), part="a", version="1", sums={}
        )
    ],
    "subscription_of_entrant_or_account": [
        lambda: subscribe({}),
        lambda: subscribe({"user": AccountFactory(), "entrant": EntrantFactory()}),
    ],
    "subscription_of_phone_or_by_mail": [
        lambda: subscribe({"entrant": EntrantFactory()}, phone="", endpoint=""),
        lambda: subscribe({"user": AccountFactory()}, phone=""),
        lambda: subscribe({"user": AccountFactory()}, auth=""),
    ],
    "subscription_one_per_phone_of_entrant": [
        lambda: subscribe(*[{"entrant": EntrantFactory()}] * 2)
    ],
    "subscription_one_per_phone_of_account": [lambda: subscribe(*[{"user": AccountFactory()}] * 2)],
    "notification_one_of_a_kind": [notify],
    "notification_kind_known": [lambda: notify(kind="other")],
    "rating_pool_one_per_club": [
        lambda: two(RatingPoolFactory, club=ClubFactory(), family="euchre")
    ],
    "rating_pool_one_of_server": [lambda: two(RatingPoolFactory, club=None, family="euchre")],
    "rating_pool_has_a_family": [lambda: RatingPoolFactory(family="")],
    "rating_pool_of_some_strengths": [lambda: RatingPoolFactory(start=0)],
    "rating_one_per_person": [
        lambda: two(PlayerRatingFactory, pool=RatingPoolFactory(), person="p1")
    ],
    "rating_after_a_game": [lambda: PlayerRatingFactory(games=0)],
    "rating_never_certain": [lambda: PlayerRatingFactory(variance=0.0)],
    "rating_change_numbered": [
        lambda: two(RatingChangeFactory, rating=PlayerRatingFactory(), number=1)
    ],
    "rating_change_at_a_seat": [lambda: RatingChangeFactory(seat=6)],
    "rating_change_from_one": [lambda: RatingChangeFactory(number=0)],
    "rated_round_once": [
        lambda: two(RatedRoundFactory, pool=RatingPoolFactory(), round=RoundFactory())
    ],
    "rating_ledger_is_one": [lambda: models.RatingLedger.objects.create(pk=2)],
    "difference_open_once": [lambda: two(DifferenceFactory, subject="game:1")],
    "difference_of_something": [lambda: DifferenceFactory(subject="")],
    "email_once_about_a_thing": [lambda: two(EmailFactory, user=AccountFactory(), about="a")],
    "email_with_report_carries_it": [lambda: EmailFactory(report=ReportFactory())],
    "token_has_a_name": [lambda: TokenFactory(name="")],
    "token_may_do_something": [lambda: TokenFactory(scopes=[])],
    "answer_key_not_empty": [lambda: IdempotencyRecordFactory(key="")],
    "feed_is_one": [lambda: models.ChangeFeed.objects.create(pk=2)],
    "webhook_has_an_address": [lambda: WebhookFactory(url="")],
    "webhook_is_about_something": [lambda: WebhookFactory(events=[])],
    "webhook_generation_from_one": [lambda: WebhookFactory(generation=0)],
    "delivery_once_about_a_change": [
        lambda: two(DeliveryFactory, webhook=WebhookFactory(), line=AuditEntryFactory())
    ],
    "delivery_state_known": [lambda: DeliveryFactory(state="lost")],
    "worker_at_a_task_since_a_moment": [
        lambda: worker(task="sweep"),
        lambda: worker(task_since=EVENING),
    ],
}


def named_constraints():
    return {
        constraint.name: (model, constraint)
        for model in apps.get_app_config("tournaments").get_models()
        for constraint in model._meta.constraints
    }


def sign_of(name):
    model, constraint = named_constraints()[name]
    if connection.vendor != "sqlite" or not isinstance(constraint, UniqueConstraint):
        return name
    # SQLite names the columns of a unique index, not the index.
    columns = [model._meta.get_field(field).column for field in constraint.fields]
    return ", ".join(f"{model._meta.db_table}.{column}" for column in columns)


def test_every_named_constraint_has_a_case_here():
    assert sorted(REFUSED) == sorted(named_constraints())


@pytest.mark.parametrize("name", REFUSED)
def test_constraint_refuses_by_its_name(name):
    for refuse in REFUSED[name]:
        with pytest.raises(IntegrityError) as refused, transaction.atomic():
            refuse()

        assert sign_of(name) in str(refused.value)


def test_game_changes_a_rating_once():
    key = {"rating": PlayerRatingFactory(), "game": GameFactory()}
    RatingChangeFactory(**key, number=1)

    with pytest.raises(IntegrityError, match=r"ratingchange[._](game_id|pkey)"):
        RatingChangeFactory(**key, number=2)


@pytest.mark.parametrize("other", ["işıl", "IŞIL", " Işıl  ", "İşil"])
def test_players_of_one_club_never_share_a_name_up_to_case_and_dots(other):
    club = ClubFactory()
    # Also where that player was merged into another.
    PlayerFactory(club=club, name="Işıl", merged_into=PlayerFactory(club=club))

    with pytest.raises(IntegrityError):
        PlayerFactory(club=club, name=other)


def test_two_clubs_may_have_players_of_one_name_and_account():
    account = AccountFactory()
    for _ in range(2):
        PlayerFactory(name="Işıl", account=account)


def test_player_is_merged_once_more_after_it_was_undone():
    kept, gone = PlayerFactory(), PlayerFactory()
    first = merge(kept, gone)
    first.undone_at = EVENING
    first.save()

    assert merge(kept, gone).pk != first.pk
