"""Addresses of the API, below `/api/`: its pages, and version 1."""

from django.urls import include, path

from tournaments.api.accounts import views as accounts
from tournaments.api.audit import views as audit
from tournaments.api.clubs import views as clubs
from tournaments.api.documents import views as documents
from tournaments.api.entrants import views as entrants
from tournaments.api.events import views as events
from tournaments.api.exports import views as exports
from tournaments.api.games import entries, tables
from tournaments.api.games import views as games
from tournaments.api.imports import views as imports
from tournaments.api.people import members
from tournaments.api.people import views as people
from tournaments.api.ratings import views as ratings
from tournaments.api.records import views as records
from tournaments.api.reference import views as reference
from tournaments.api.rounds import seatings
from tournaments.api.rounds import views as rounds
from tournaments.api.rulesets import views as rulesets
from tournaments.api.standings import views as standings
from tournaments.api.statistics import views as statistics
from tournaments.api.tournaments import views as tournaments
from tournaments.api.views import Router
from tournaments.api.webhooks import views as webhooks

GAME = "games/<slug:public_id>"
TABLE = "tables/<slug:public_id>"
DOCUMENT = "documents/<int:pk>/<str:secret>"
CLUB = "clubs/<slug:slug>"
PLAYER = f"{CLUB}/players/<str:public_id>"
EVENT = f"{CLUB}/events/<slug:public_id>"
SEASON = f"{CLUB}/seasons/<int:pk>"
TOURNAMENT = f"{CLUB}/tournaments/<slug:tournament>"
ENTRANTS = f"{TOURNAMENT}/entrants"
ROUND = f"{TOURNAMENT}/rounds/<int:number>"
SIGN_UP = "tournaments/<slug:public_id>"

router = Router()

router.register("games", games.GameViewSet, "game")
router.register(f"{GAME}/entries", entries.EntryViewSet, "entry")
router.register(f"{GAME}/log", games.LogViewSet, "log")

router.register(f"{CLUB}/audit", audit.AuditViewSet, "audit")

router.register(f"{CLUB}/webhooks", webhooks.WebhookViewSet, "webhook")
router.register(f"{CLUB}/webhooks/<str:public_id>/deliveries", webhooks.DeliveryViewSet, "delivery")
router.register("webhooks", webhooks.WebhookViewSet, "server-webhook")
router.register("webhooks/<str:public_id>/deliveries", webhooks.DeliveryViewSet, "server-delivery")

router.register("rulesets", rulesets.RulesetViewSet, "ruleset")
router.register("house-rules", rulesets.HouseRulesViewSet, "house-rules")
router.register("clubs/<slug:club>/house-rules", rulesets.HouseRulesViewSet, "club-house-rules")

router.register(f"{CLUB}/events", events.EventViewSet, "event")
router.register(f"{EVENT}/rounds", events.EveningRoundViewSet, "event-round")
router.register(f"{EVENT}/rounds/<int:number>/tables", events.EveningTableViewSet, "event-table")
router.register(f"{CLUB}/seasons", events.SeasonViewSet, "season")
router.register(f"{SEASON}/events", events.SeasonEventViewSet, "season-event")

router.register("clubs", clubs.ClubViewSet, "club")
router.register(f"{CLUB}/settings", clubs.ClubSettingsViewSet, "club-settings")
router.register(f"{CLUB}/logo", clubs.ClubLogoViewSet, "club-logo")

router.register(f"{CLUB}/members", members.MemberViewSet, "member")
router.register(f"{CLUB}/invitations", members.InvitationViewSet, "invitation")
router.register("join/<str:public_id>/<str:secret>", members.JoinViewSet, "join")
router.register(f"{CLUB}/players", people.PlayerViewSet, "player")
router.register(f"{PLAYER}/games", people.PlayerGameViewSet, "player-game")

router.register("me", accounts.AccountViewSet, "me")
router.register("tokens", accounts.TokenViewSet, "token")
router.register("me/players", accounts.OwnPlayerViewSet, "my-player")
router.register("claim", accounts.ClaimCodeViewSet, "claim-code")
router.register("claim/<str:public_id>/<str:secret>", accounts.ClaimViewSet, "claim")
router.register("me/clubs/<slug:slug>/month", accounts.MonthViewSet, "my-month")

router.register(f"{CLUB}/tournaments", tournaments.TournamentViewSet, "tournament")
router.register(
    f"{CLUB}/tournament-records", tournaments.TournamentRecordViewSet, "tournament-records"
)

router.register(ENTRANTS, entrants.EntrantViewSet, "entrant")

router.register(f"{TOURNAMENT}/seat", seatings.SeatNextViewSet, "seat-next")
router.register(f"{TOURNAMENT}/rounds", rounds.RoundViewSet, "tournament-round")
router.register(f"{ROUND}/seating", seatings.SeatingViewSet, "seating")
router.register(f"{ROUND}/line-ups", seatings.LineUpViewSet, "line-ups")
router.register(f"{ROUND}/tables", rounds.TableViewSet, "round-table")
router.register(f"{ROUND}/rulings", rounds.RoundRulingViewSet, "round-ruling")
router.register(f"{TOURNAMENT}/rulings", rounds.RulingViewSet, "ruling")
router.register(f"{TOURNAMENT}/corrections", rounds.CorrectionViewSet, "correction")

router.register(DOCUMENT, documents.DocumentViewSet, "document")

version_1 = [
    path("", reference.IndexView.as_view(), name="index"),
    path("openapi.json", reference.openapi, name="openapi"),
    *router.urls,
    path(f"{GAME}/totals/", entries.TotalsView.as_view(), name="totals"),
    path(f"{GAME}/reviews/", entries.ReviewsView.as_view(), name="reviews"),
    path(f"{GAME}/seal/", entries.SealView.as_view(), name="seal"),
    path(f"{GAME}/confirmations/", entries.ConfirmationsView.as_view(), name="confirmations"),
    path("evenings/<slug:public_id>/", tables.EveningView.as_view(), name="evening"),
    path(f"{TABLE}/", tables.TableView.as_view(), name="table"),
    path(f"{TABLE}/enter/", tables.EnterTableView.as_view(), name="enter-table"),
    path(f"{GAME}/table/", tables.GameTableView.as_view(), name="game-table"),
    path(f"{GAME}/call/", tables.CallDirectorView.as_view(), name="call-director"),
    path("changes/", audit.ChangesView.as_view(), name="changes"),
    path("score/", records.ScoreGameView.as_view(), name="score"),
    path("pair/", records.PairView.as_view(), name="pair"),
    path("verify/", records.VerifyView.as_view(), name="verify"),
    path("codes/<slug:code>/", records.PrintedCodeView.as_view(), name="code"),
    path("describe/", rulesets.DescribeView.as_view(), name="describe"),
    path("schemas/", rulesets.SchemasView.as_view(), name="schemas"),
    path("schemas/<str:file>", rulesets.SchemaView.as_view(), name="schema"),
    path(f"{PLAYER}/numbers/", people.PlayerNumbersView.as_view(), name="player-numbers"),
    path(f"{PLAYER}/against/", people.PlayerOpponentsView.as_view(), name="player-opponents"),
    path(f"{PLAYER}/against/<str:other>/", people.HeadToHeadView.as_view(), name="head-to-head"),
    path(f"{CLUB}/imports/players/", imports.ImportPlayersView.as_view(), name="import-players"),
    path(f"{CLUB}/imports/results/", imports.ImportResultsView.as_view(), name="import-results"),
    path(f"{CLUB}/imports/records/", imports.ImportRecordsView.as_view(), name="import-records"),
    path(
        f"{ENTRANTS}/<int:number>/substitutes/<int:place>/<slug:player>/",
        entrants.SubstituteView.as_view(),
        name="substitute",
    ),
    path(f"{SIGN_UP}/registrations/", entrants.RegistrationView.as_view(), name="registrations"),
    path(f"{SIGN_UP}/check-ins/", entrants.CheckInView.as_view(), name="check-ins"),
    path(f"{SEASON}/league/", standings.LeagueView.as_view(), name="league"),
    path(f"{TOURNAMENT}/standings/", standings.StandingsView.as_view(), name="standings"),
    path(
        f"{TOURNAMENT}/standings/<int:number>/",
        standings.RankExplanationView.as_view(),
        name="explanation",
    ),
    path(f"{TOURNAMENT}/wall/", rounds.WallView.as_view(), name="wall"),
    path(f"{DOCUMENT}/file/", documents.DocumentFileView.as_view(), name="document-file"),
    path(f"{EVENT}/documents/", documents.EventDocumentsView.as_view(), name="event-documents"),
    path(f"{PLAYER}/documents/", documents.PlayerDocumentsView.as_view(), name="player-documents"),
    path(f"{SEASON}/documents/", documents.SeasonDocumentsView.as_view(), name="season-documents"),
    path(f"{CLUB}/documents/", documents.ClubDocumentsView.as_view(), name="club-documents"),
    path(f"{GAME}/documents/", documents.GameDocumentsView.as_view(), name="game-documents"),
    path(
        "evenings/<slug:public_id>/documents/",
        documents.EveningDocumentsView.as_view(),
        name="evening-documents",
    ),
    path(
        "rulesets/<slug:ruleset>/documents/",
        documents.EmptySheetsView.as_view(),
        name="ruleset-documents",
    ),
    path(f"{CLUB}/exports/games/", exports.GamesExportView.as_view(), name="games-export"),
    path(f"{CLUB}/exports/ratings/", exports.RatingsExportView.as_view(), name="ratings-export"),
    path(f"{CLUB}/exports/entrants/", exports.EntrantsExportView.as_view(), name="entrants-export"),
    path("ratings/", ratings.ServerLeaderboardView.as_view(), name="server-ratings"),
    path(f"{CLUB}/ratings/", ratings.ClubLeaderboardView.as_view(), name="club-ratings"),
    path(f"{PLAYER}/ratings/", ratings.PlayerRatingsView.as_view(), name="player-ratings"),
    path(f"{GAME}/ratings/", ratings.GameRatingsView.as_view(), name="game-ratings"),
    path(f"{TOURNAMENT}/accuracy/", ratings.TournamentAccuracyView.as_view(), name="accuracy"),
    path(f"{CLUB}/records/", statistics.ClubRecordsView.as_view(), name="club-records"),
]

urlpatterns = [
    path("", reference.index, name="api_index"),
    path("problems/", reference.problems, name="api_problems"),
    path("v1/docs/", reference.reference, name="api_reference"),
    path("v1/docs/<slug:name>/", reference.topic, name="api_topic"),
    path("v1/docs/forms/<str:name>/", reference.form, name="api_form"),
    path("v1/", include((version_1, "api"))),
]
