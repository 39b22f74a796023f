"""Two clubs in which anything happens that changes ratings, and the ratings computed plainly."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from random import Random

from tests import club_factories as make
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import EVENING, ContextFactory, record
from tournaments import models
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.ratings.ratings import (
    Constants,
    Spread,
    half_places,
    newcomer,
    rate,
    scores_of,
)
from tournaments.engine.variants import RULESETS
from tournaments.queries.sheets import ruleset_of
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.clubs.membership import ClubSettings, change_settings, delete_account
from tournaments.services.entrants.registration import mark_house
from tournaments.services.events.events import change_event, close_round, plan_of, reopen_round
from tournaments.services.games.playing import correct_entry
from tournaments.services.games.tables import remove_table
from tournaments.services.people import merging
from tournaments.services.people.changes import remove_player
from tournaments.services.ratings.computing import sweep_ratings

HALF_PLACES = {"points": "places", "rated_by": "half-places"}
STOPPED = {"type": "stopped", "reason": "time"}
DAY = timedelta(days=1)


def tricks(chance):
    takers = chance.choices(range(4), weights=(4, 3, 2, 1), k=13)
    return deal("no-tricks", *(takers.count(seat) for seat in range(4)))


class World:
    """Two clubs, one of which takes part in the server's ratings; `chance` says what happens."""

    def __init__(self, seed):
        self.chance = Random(seed)
        self.day = 0
        self.clubs = [
            make.ClubFactory(rates_evenings=True, in_server_ratings=n == 0) for n in range(2)
        ]
        self.events = [
            make.EventFactory(club=club, held_on=self.any_day())
            for club in self.clubs
            for _ in range(2)
        ]
        self.directors = {
            club.pk: Actor(make.MemberFactory(club=club, role="director").user)
            for club in self.clubs
        }
        self.accounts = [make.AccountFactory() for _ in range(3)]
        for club in self.clubs:
            make.PlayerFactory.create_batch(8, club=club)
            for settings in ({}, HALF_PLACES):
                tournament = make.TournamentFactory(
                    event__club=club,
                    event__held_on=self.any_day(),
                    state="running",
                    settings=settings,
                )
                self.events.append(tournament.event)
            # The others can turn out to be somebody else.
            for player in club.players.all()[:5]:
                make.EntrantFactory(tournament=tournament, player=player)

    def happen(self):
        steps = {
            self.play: 8, self.reopen: 2, self.close: 3, self.move: 3, self.correct: 4,
            self.merge: 5, self.part: 3, self.claim: 3, self.unlink: 1, self.set_up: 1,
            self.remove_table: 1, self.leave: 1, self.remove: 1, self.mark_house: 2,
            sweep_ratings: 4,
        }  # fmt: skip
        [step] = self.chance.choices(list(steps), list(steps.values()))
        step()
        return step.__name__

    def any(self, rows):
        found = list(rows.order_by("pk"))
        return self.chance.choice(found) if found else None

    def any_day(self):
        # Several evenings are of one day now and then.
        return (EVENING + self.chance.choice((0, 0, 1, 2, 40, 700)) * DAY).date()

    def now(self):
        self.day += self.chance.choice((0, 1, 1, 40))
        return EVENING + self.day * DAY

    def play(self):
        event = self.chance.choice(self.events)
        round_ = make.RoundFactory(event=event, number=event.rounds.count() + 1)
        everybody = list(event.club.players.present().order_by("pk"))
        for number in range(1, self.chance.choice((2, 3))):
            if len(everybody) < 4:
                break
            self.chance.shuffle(everybody)
            self.lay(round_, number, [everybody.pop() for _ in range(4)])
        close_round(round_.pk, NOBODY, at=self.now())

    def lay(self, round_, number, players):
        table = make.TableFactory(round=round_, number=number, players=[p.name for p in players])
        game = table.games.get()
        if self.chance.random() < 0.3:
            # House rules of the same name.
            game.document = write_ruleset(RULESETS[game.ruleset])
            game.save()
        record(game, tricks(self.chance))
        if self.chance.random() < 0.9:
            record(game, STOPPED)
        if self.chance.random() < 0.1:
            # A guest, of whom there is no player.
            game.seats.get(number=3).delete()
        entrants = models.Entrant.objects.filter(tournament__event=round_.event, player__in=players)
        for side, entrant in enumerate(entrants):
            make.SittingFactory(round=round_, table=table, side=side, entrant=entrant)

    def reopen(self):
        round_ = self.any(models.Round.objects.exclude(closed_at=None))
        if round_:
            reopen_round(round_.pk, NOBODY, at=self.now())

    def close(self):
        round_ = self.any(models.Round.objects.filter(closed_at=None))
        if round_:
            close_round(round_.pk, NOBODY, at=self.now())

    def move(self):
        event = self.chance.choice(self.events)
        event.refresh_from_db()
        plan = replace(plan_of(event), held_on=self.any_day())
        change_event(event.pk, plan, NOBODY, at=self.now())

    def correct(self):
        game = self.any(models.Game.objects.filter(result__isnull=False))
        if game:
            by = self.directors[game.table.round.event.club_id]
            context = ContextFactory(revision=game.revision, by=by)
            correct_entry(game.pk, 0, parse_entry(tricks(self.chance)), "miscounted", context)

    def merge(self):
        kept, gone = (
            self.any(models.Player.objects.present()),
            self.any(models.Player.objects.present()),
        )
        with suppress(merging.NotOnePerson):
            merging.merge_players(kept.pk, gone.pk, NOBODY, at=EVENING)

    def part(self):
        merge = self.any(models.Merge.objects.filter(undone_at=None))
        with suppress(merging.MergedFurther, merging.StillPlaying, models.Player.DoesNotExist):
            if merge:
                merging.undo_merge(merge.pk, NOBODY, at=EVENING)

    def claim(self):
        player = self.any(models.Player.objects.present().filter(account=None))
        with suppress(merging.AlreadyPlays):
            if player and self.accounts:
                by = Actor(self.chance.choice(self.accounts))
                merging.claim_player(player.public_id, player.claim_secret, by, at=EVENING)

    def unlink(self):
        player = self.any(models.Player.objects.exclude(account=None))
        if player:
            merging.unlink_account(player.pk, NOBODY, at=EVENING)

    def set_up(self):
        club = self.chance.choice(self.clubs)
        told = ClubSettings(
            name=club.name,
            rates_evenings=self.chance.random() < 0.7,
            in_server_ratings=self.chance.random() < 0.7,
        )
        change_settings(club.pk, told, NOBODY, at=EVENING)

    def remove_table(self):
        table = self.any(models.Table.objects.filter(round__event__tournament=None))
        if table:
            remove_table(table.pk, NOBODY, at=EVENING)

    def leave(self):
        if self.accounts:
            delete_account(Actor(self.accounts.pop()), at=EVENING)

    def remove(self):
        player = self.any(models.Player.objects.present())
        if self.chance.random() < 0.3:
            remove_player(player.pk, NOBODY, at=EVENING)

    def mark_house(self):
        entrant = self.any(models.Entrant.objects.all())
        mark_house(entrant.pk, NOBODY, at=EVENING, house=not entrant.house)


def plainly(club):
    """Rating, games and last day of everybody in a club (None: on the server), game by game."""
    ratings, spreads = {}, {}
    pools = {pool.family: pool.constants for pool in models.RatingPool.objects.filter(club=club)}
    for place, game in counted(club):
        rules = ruleset_of(game)
        constants = pools.get(rules.family, Constants())
        people = people_of(game, of_server=club is None)
        if len(people) < 2 or not any(game.result["totals"]) or not game.result["contracts"]:
            continue
        scores = scores_of([Fraction(p) for p in game.result["totals"]], game.result["ranks"])
        name = game.ruleset if game.document is None else f"house {game.ruleset}"
        earlier = spreads.get((rules.family, name), Spread())
        tournament = getattr(place.event, "tournament", None)
        if tournament and tournament.settings.get("rated_by") == "half-places":
            scores, _places = half_places(scores, game.result["ranks"], earlier.width)
        spreads[rules.family, name] = spread = earlier.seeing(scores)
        before = []
        for seat in range(rules.seats):
            rating, _games, last, _player = ratings.get(
                (rules.family, people[seat][0] if seat in people else None),
                (newcomer(constants.start), 0, place.played_at, 0),
            )
            before.append(rating.rested((place.played_at - last) / DAY))
        after = rate(before, rules.sides, scores, constants.unit(name, spread))
        for seat, (person, player) in people.items():
            games = ratings.get((rules.family, person), (None, 0))[1]
            told = after[seat], games + 1, place.played_at, player
            ratings[rules.family, person] = told
    return ratings


def counted(club):
    """The finished games of closed rounds that count, with their rounds, in order."""
    rounds = models.Round.objects.exclude(closed_at=None).select_related("event__club")
    for place in sorted(rounds, key=lambda place: (place.event.held_on, place.number, place.pk)):
        host = place.event.club
        counts = hasattr(place.event, "tournament") or host.rates_evenings
        if not counts or not (host.in_server_ratings if club is None else host == club):
            continue
        for table in place.tables.order_by("number"):
            for game in table.games.exclude(result=None).order_by("pk"):
                yield place, game


def people_of(game, *, of_server):
    """By seat who sat there: their name in ratings, and their player."""
    sittings = models.Sitting.objects.filter(table=game.table, entrant__house=True)
    houses = {player.pk for each in sittings for player in each.entrant.players}
    people = {}
    for seat in game.seats.select_related("player").exclude(player__in=houses):
        account = seat.player.account_id if of_server else None
        person = f"p{seat.player_id}" if account is None else f"a{account}"
        people[seat.number] = person, seat.player_id
    return people


def kept(club):
    """The stored ratings, in the form of `plainly`."""
    rows = models.PlayerRating.objects.filter(pool__club=club).select_related("pool")
    for row in rows:
        numbers = list(row.changes.values_list("number", flat=True))
        assert numbers == list(range(1, row.games + 1))
        assert row.changes.last().after == row.rating
    return {
        (row.pool.family, row.person): (row.rating, row.games, row.last_at, row.player_id)
        for row in rows
    }


def check_everything():
    for club in (*models.Club.objects.all(), None):
        assert kept(club) == plainly(club)


QUEENS, RIFKI = WHOLE_GAME[1], WHOLE_GAME[0]


def evening(club, *entries, tables=1, day=0, players=None):
    event = make.EventFactory(club=club, held_on=(EVENING + day * DAY).date())
    round_ = make.RoundFactory(event=event, number=1)
    for number in range(1, tables + 1):
        names = players or [f"{name} {number}" for name in NAMES]
        make.TableFactory(round=round_, number=number, players=names, entries=entries)
    return close_round(round_.pk, NOBODY, at=EVENING)


def director_of(club):
    return Actor(make.MemberFactory(club=club, role="director").user)


def correct(game, body):
    game.refresh_from_db()
    by = director_of(game.table.round.event.club)
    correct_entry(
        game.pk, 0, parse_entry(body), "miscounted", ContextFactory(revision=game.revision, by=by)
    )
