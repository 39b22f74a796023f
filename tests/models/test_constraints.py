import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

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
    HouseRulesetFactory,
    ReportFactory,
    RevisionFactory,
    UserFactory,
)
from tests.models.other_refusals import OTHERS_REFUSED, two
from tests.rating_factories import PlayerRatingFactory, RatingChangeFactory
from tournaments.models import (
    Confirmation,
    DealReview,
    FeedSpan,
    Game,
    Match,
    Merge,
    OpenTable,
    SavedGame,
    Seat,
    UnusedCard,
)

pytestmark = pytest.mark.django_db


def start_twice():
    for public_id in ("one", "two"):
        Game.objects.create(
            public_id=public_id, players=[], start_key="k", played_at="2026-11-20T19:30Z"
        )


def write_twice(**same):
    game = GameFactory()
    RevisionFactory(game=game, **same)
    RevisionFactory(game=game, **same)


def match(length="best-of", number=3):
    return Match.objects.create(length=length, number=number, created_at=timezone.now())


def number_twice():
    of_match = match()
    for _ in range(2):
        update_game(match=of_match, match_number=1)


def merge(kept, gone):
    return Merge.objects.create(kept=kept, gone=gone, seats=[], account_moved=False, at=EVENING)


def merge_twice():
    gone = PlayerFactory()
    for _ in range(2):
        merge(PlayerFactory(club=gone.club), gone)


def merge_alone():
    player = PlayerFactory()
    merge(player, player)


def pair_alone():
    player = PlayerFactory()
    EntrantFactory(player=player, partner=player)


def substitute_for_oneself():
    player = PlayerFactory()
    SubstituteFactory(player=player, instead_of=player)


def card_twice(**same):
    tournament = TournamentFactory()
    for n in (1, 2):
        own = {"round": n, "number": n, "public_id": f"234567892{n}"}
        UnusedCard.objects.create(tournament=tournament, **own | same)


def sit(*places):
    """Players of one club at seats of one game: `places` are (who, where)."""
    game, club = GameFactory(), ClubFactory()
    players = {who: PlayerFactory(club=club) for who, _ in places}
    for who, number in places:
        Seat.objects.create(game=game, number=number, player=players[who])


def confirm(*seats):
    game = GameFactory()
    for seat in seats:
        Confirmation.objects.create(game=game, seat=seat, revision=1, at=EVENING)


def review(*kinds, **fields):
    game, said = GameFactory(), {"position": 0, "revision": 1, "seat": 1, "at": EVENING} | fields
    for kind in kinds:
        DealReview.objects.create(game=game, kind=kind, **said)


def update_game(**fields):
    Game.objects.filter(pk=GameFactory().pk).update(**fields)


def name_alike():
    update_game(public_id=GameFactory().public_id)


def follow_twice():
    before, *others = (GameFactory() for _ in range(3))
    pks = [game.pk for game in others]
    Game.objects.filter(pk__in=pks).update(open_table=before.open_table, number=2)


def save_twice():
    game, user = GameFactory(), UserFactory()
    for _ in range(2):
        SavedGame.objects.create(game=game, user=user, generation=1)


REFUSED = {
    "saved_game_once": [save_twice],
    "game_generations_from_one": [
        lambda: update_game(write_generation=0),
        lambda: update_game(follow_generation=0),
    ],
    "game_first_declarer_is_a_seat": [lambda: update_game(first_declarer=4)],
    "game_one_per_public_id": [name_alike],
    "game_one_per_start_key": [start_twice],
    "game_one_per_number": [number_twice],
    "game_one_per_number_at_table": [follow_twice],
    "game_number_at_its_table": [
        lambda: update_game(number=None),
        lambda: update_game(open_table=None),
        lambda: update_game(number=0),
    ],
    "open_table_generation_from_one": [
        lambda: GameFactory() and OpenTable.objects.update(generation=0)
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
        lambda: two(MemberFactory, club=ClubFactory(), user=AccountFactory()),
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
    "merge_one_at_a_time": [merge_twice],
    "merge_of_two": [merge_alone],
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
    "entrant_pair_of_two": [pair_alone],
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
    "substitute_is_another": [substitute_for_oneself],
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
    "table_numbers_from_one": [
        lambda: TableFactory(number=0),
        lambda: TableFactory(generation=0),
    ],
    "seat_one_player": [lambda: sit(("Ayşe", 0), ("Burak", 0))],
    "seat_one_per_player": [lambda: sit(("Ayşe", 0), ("Ayşe", 1))],
    "seat_number_is_a_seat": [lambda: sit(("Ayşe", 4))],
    "deal_review_one_of_a_kind": [lambda: review("confirmed", "confirmed")],
    "deal_review_kind_known": [lambda: review("praised")],
    "deal_review_seat_unless_settled": [
        lambda: review("settled"),
        lambda: review("confirmed", seat=None),
        lambda: review("confirmed", seat=4),
    ],
    "deal_review_body_if_disputed": [
        lambda: review("disputed"),
        lambda: review("confirmed", body={"type": "deal"}),
    ],
    "confirmation_one_per_seat": [lambda: confirm(2, 2)],
    "confirmation_seat_is_a_seat": [lambda: confirm(4)],
    "audit_kind_known": [lambda: AuditEntryFactory(kind="weather")],
    "span_not_empty": [lambda: FeedSpan.objects.create(number=1, first=1, length=0)],
    "audit_says_what_was_done": [lambda: AuditEntryFactory(action="")],
    "match_length_known": [lambda: match(length="for-ever")],
    "match_of_one_game_or_more": [lambda: match(number=0)],
    "revision_one_per_revision": [lambda: write_twice(revision=1)],
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
    **OTHERS_REFUSED,
}


def named_constraints():
    return {
        constraint.name: (model, constraint)
        for model in apps.get_app_config("tournaments").get_models()
        for constraint in model._meta.constraints
    }


def sign_of(name):
    model, constraint = named_constraints()[name]
    if connection.vendor != "sqlite" or not isinstance(constraint, models.UniqueConstraint):
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


@pytest.mark.django_db
def test_no_index_only_repeats_the_beginning_of_another():
    doubled = []
    for model in apps.get_models():
        named = [*model._meta.indexes, *model._meta.constraints]
        partial = {each.name for each in named if getattr(each, "condition", None)}
        with connection.cursor() as cursor:
            found = connection.introspection.get_constraints(cursor, model._meta.db_table)
        indexes = {
            name: each["columns"]
            for name, each in found.items()
            # PostgreSQL's second index of a text, for searches by its beginning, has another order.
            if (each["index"] or each["unique"]) and each["columns"] and not name.endswith("_like")
            if name not in partial
        }
        for name, columns in indexes.items():
            others = [other for key, other in indexes.items() if key != name]
            plain = model._meta.app_label == "tournaments" and not found[name]["unique"]
            if plain and any(other[: len(columns)] == columns for other in others):
                doubled.append(name)
    assert doubled == []
