"""The expected answer to each visitor at every address of the project, for GET and POST.

`docs/access.md` says it in sentences. Each line names an address, the place that fills it in
(`access_world.py`), and who is let in; all others get what the rule for them says. An address with
a secret is tried with the right one, with that of a table whose round is closed, and with a wrong
one, which lets in nobody.
"""

from dataclasses import dataclass

from tests.web.access_world import PHONES, SIGNED_IN, VISITORS

OK = "ok"
"""Let in: the page, or an answer to the form, be it that the form was empty."""

LOGIN, MISSING, FORBIDDEN, NO_METHOD = "login", "404", "403", "405"
AGAIN = "again"
"""Asked for the password, the code or the passkey once more."""

FOLLOW = "follow"
"""Led to where the sheet is followed, which whoever has the address may."""

REFUSED = frozenset({LOGIN, MISSING, FORBIDDEN, NO_METHOD, FOLLOW})

WITHOUT_ACCOUNT = ("nobody", *PHONES)


def only(*who, others=MISSING, then=OK):
    return {visitor: then if visitor in who else others for visitor in VISITORS}


EVERYBODY = only(*VISITORS)
NOBODY = only()
MEMBERS = only("member", "director", "owner")
DIRECTORS = only("director", "owner")
OWNERS = only("owner")
OF_ANY_CLUB = only("director", "owner", "other")
ACCOUNTS = only(*SIGNED_IN, others=LOGIN)
STAFF = only("staff", others=LOGIN)
ACCOUNT_OF_STAFF = {**only("staff"), **dict.fromkeys(WITHOUT_ACCOUNT, LOGIN)}
OFFICE_READ_ONLY = {**only(others=LOGIN), "staff": FORBIDDEN}
OFFICE_NOTHING = {**only(others=LOGIN), "staff": MISSING}
TO_THE_OFFICE = {**only("staff", others=FORBIDDEN), **dict.fromkeys(WITHOUT_ACCOUNT, LOGIN)}
PLAYER_FOLLOWS = {**NOBODY, "member": FOLLOW}
DIRECTORS_WRITE = only("director", "owner", others=FOLLOW)
NO_DIRECTOR_FOLLOWS = {**only(others=FOLLOW), **dict.fromkeys(("director", "owner"), MISSING)}
OWN = {**only(*SIGNED_IN, others=LOGIN), **dict.fromkeys(SIGNED_IN, MISSING), "member": OK}
TO_SIGN_IN = only(others=LOGIN)
PROVED_AGAIN = only(*SIGNED_IN, others=LOGIN, then=AGAIN)


@dataclass(frozen=True)
class Page:
    """The expected status of each visitor at an address; without `post` nobody may send anything.

    `closed_get` and `closed_post` are for the table of a closed round, and `published` is for GET
    where club and evening are published.
    """

    place: str
    get: dict | None = None
    post: dict | None = None
    closed_get: dict | None = None
    closed_post: dict | None = None
    published: dict | None = None


def sheet(get=EVERYBODY, post=None, closed=DIRECTORS, closed_get=None, place="write"):
    """A page at the address of a sheet: whoever has it may, until the round is closed."""
    return Page(place, get, post, get and (closed_get or closed), post and closed)


SITE = {
    "api_index": Page("", EVERYBODY),
    "api_problems": Page("", EVERYBODY),
    "api_topic": Page("topic of the API", EVERYBODY),
    "api_form": Page("form of the API", EVERYBODY),
    "api_reference": Page("", EVERYBODY),
    "home": Page("", EVERYBODY),
    "offline": Page("", EVERYBODY),
    "new_offline": Page("", EVERYBODY),
    "table_offline": Page("", EVERYBODY),
    "status": Page("", STAFF),
    "guide": Page("", EVERYBODY),
    "new": Page("", EVERYBODY, EVERYBODY),
    "verify": Page("", EVERYBODY, EVERYBODY),
    "sample": Page("", None, EVERYBODY),
    "preferences": Page("", None, EVERYBODY),
    "tables": Page("", EVERYBODY, EVERYBODY),
    "carry_tables": Page("", None, EVERYBODY),
    "save_tables": Page("", None, ACCOUNTS),
    "join_names": Page("", None, EVERYBODY),
    # Whoever takes them first has them.
    "carried_tables": Page("transfer", EVERYBODY, EVERYBODY),
    "set_language": Page("", EVERYBODY, EVERYBODY),
    "service_worker": Page("", EVERYBODY),
    "rules": Page("", EVERYBODY),
    "server_ratings": Page("", EVERYBODY),
    "server_calibration": Page("", EVERYBODY),
    "rules_of_game": Page("rules of the club", MEMBERS),
    "rules_json": Page("rules of the club", MEMBERS),
    "empty_sheet": Page("ruleset", None, EVERYBODY),
}

SHEETS = {
    "write": sheet(closed=DIRECTORS_WRITE),
    "record": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE),
    "undo": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE),
    "seal": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE),
    "reveal": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE),
    "confirm": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE),
    "entry": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE, place="entry"),
    # An evening confirms no deals.
    "confirm_deal": Page("entry", EVERYBODY, NOBODY, DIRECTORS_WRITE, NO_DIRECTOR_FOLLOWS),
    "dispute_deal": Page("entry", NOBODY, NOBODY, NO_DIRECTOR_FOLLOWS, NO_DIRECTOR_FOLLOWS),
    "rematch": sheet(post=EVERYBODY),
    "head": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE),
    "history": sheet(closed=DIRECTORS_WRITE),
    "holder": sheet(post=EVERYBODY, closed_get=DIRECTORS_WRITE),
    "pen": sheet(),
    "rules_at_table": sheet(),
    "scoresheet": sheet(None, EVERYBODY),
    "take": sheet(post=EVERYBODY, closed=NOBODY, place="pen"),
    "table_round": sheet(),
    "call_director": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE),
    "table_link": sheet(post=EVERYBODY, closed=DIRECTORS_WRITE, place="table"),
    # Shown as it stands, for the game is not finished.
    "confirm_own": Page("game", None, PLAYER_FOLLOWS, None, PLAYER_FOLLOWS),
}

OPEN_TABLES = {
    "delete": Page("open table", EVERYBODY, EVERYBODY),
    "adopt": Page("open table", OF_ANY_CLUB, OF_ANY_CLUB),
    "next_game": Page("match", None, EVERYBODY),
}
"""At a club's table these are the director's business, and not there for anybody."""

FOLLOWED = {
    "evening": Page("evening", EVERYBODY),
    "evening_games": Page("evening", EVERYBODY),
    "evening_text": Page("evening", EVERYBODY),
    "evening_picture": Page("evening", EVERYBODY),
    "evening_document": Page("evening", None, EVERYBODY),
    "follow": sheet(closed=EVERYBODY, place="follow"),
    "stream": sheet(closed=EVERYBODY, place="stream"),
    "seat": sheet(None, EVERYBODY, closed=EVERYBODY, place="follow"),
    "follow_scoresheet": sheet(None, EVERYBODY, closed=EVERYBODY, place="follow"),
    "follow_picture": sheet(closed=EVERYBODY, place="follow"),
    "follow_picture_wide": sheet(closed=EVERYBODY, place="follow"),
    "follow_record": sheet(closed=EVERYBODY, place="follow"),
    "rules_followed": sheet(closed=EVERYBODY, place="follow"),
    "report": Page("report", EVERYBODY, EVERYBODY),
    # It is not built yet.
    "report_file": Page("report", NOBODY),
}

HOUSE_RULES = {
    f"{keeper}{name}": page
    for keeper, place, row, may in (
        ("", "", "server rules", STAFF),
        ("club_", "keeper", "club rules", DIRECTORS),
    )
    for name, page in {
        "house_rules": Page(place, may),
        "copy_rules": Page(place, None, may),
        "import_rules": Page(place, None, may),
        "house_ruleset": Page(row, may, may),
        "export_rules": Page(row, may),
        "try_rules": Page(row, may, may),
        "delete_rules": Page(row, may, may),
    }.items()
}

CLUBS = {
    "clubs": Page("", EVERYBODY, ACCOUNTS),
    "club": Page("club", MEMBERS, published=EVERYBODY),
    "club_ratings": Page("club", MEMBERS, published=EVERYBODY),
    "club_calibration": Page("club", MEMBERS, published=EVERYBODY),
    "club_ratings_record": Page("club", DIRECTORS),
    "club_settings": Page("club", OWNERS, OWNERS),
    "club_logo": Page("club", MEMBERS, OWNERS, published=EVERYBODY),
    "share_club": Page("club", MEMBERS, published=EVERYBODY),
    "club_calendar": Page("club", NOBODY, published=EVERYBODY),
    "event_calendar": Page("event", MEMBERS, published=EVERYBODY),
    "club_picture": Page("club", NOBODY),
    "club_results": Page("club", NOBODY, published=EVERYBODY),
    "embed": Page("club part", NOBODY, published=EVERYBODY),
    "embed_colours": Page("", EVERYBODY),
    "calendar": Page("calendar", EVERYBODY),
    "replace_calendar": Page("", None, ACCOUNTS),
    "notifications": Page("", EVERYBODY, EVERYBODY),
    "renew_subscription": Page("", EVERYBODY, EVERYBODY),
    "end_subscription": Page("mails", EVERYBODY, EVERYBODY),
    "leave_club": Page("club", MEMBERS, MEMBERS),
    "people": Page("club", MEMBERS),
    "member": Page("person", OWNERS, OWNERS),
    "remove_member": Page("person", None, OWNERS),
    "new_invitation": Page("club", DIRECTORS, DIRECTORS),
    "invitation": Page("invitation", DIRECTORS),
    "withdraw_invitation": Page("invitation", None, DIRECTORS),
    "webhooks": Page("club", OWNERS),
    "new_webhook": Page("club", OWNERS, OWNERS),
    "webhook": Page("webhook", OWNERS),
    "change_webhook": Page("webhook", OWNERS, OWNERS),
    "webhook_secret": Page("webhook", OWNERS, OWNERS),
    "pause_webhook": Page("webhook", None, OWNERS),
    "test_webhook": Page("webhook", None, OWNERS),
    "remove_webhook": Page("webhook", None, OWNERS),
    "send_again": Page("webhook call", None, OWNERS),
    "club_records": Page("club", MEMBERS, published=EVERYBODY),
    "club_changes": Page("club", DIRECTORS),
    "join": Page("join", EVERYBODY, ACCOUNTS),
    "me": Page("", ACCOUNTS),
    "club_month": Page("club", None, MEMBERS),
    "my_month": Page("club", None, DIRECTORS),
    "tokens": Page("", ACCOUNTS),
    "new_token": Page("", PROVED_AGAIN, PROVED_AGAIN),
    "token": Page("own token", OWN, OWN),
    "new_application": Page("", PROVED_AGAIN, PROVED_AGAIN),
    "application": Page("own application", OWN, OWN),
    "withdraw_application": Page("own application", None, ACCOUNTS),
    "oauth2_provider:authorize": Page("", PROVED_AGAIN, PROVED_AGAIN),
    "oauth2_provider:token": Page("", None, EVERYBODY),
    "oauth2_provider:revoke-token": Page("", None, EVERYBODY),
    "oauth2_provider:oauth-server-metadata": Page("", EVERYBODY),
    "delete_account": Page("", PROVED_AGAIN, PROVED_AGAIN),
}

PLAYERS = {
    "players": Page("club", MEMBERS),
    "new_players": Page("club", DIRECTORS, DIRECTORS),
    "player": Page("player", MEMBERS, published=EVERYBODY),
    "player_picture": Page("player", NOBODY, published=EVERYBODY),
    "player_opponents": Page("player", MEMBERS),
    "player_against": Page("two players", MEMBERS),
    "player_document": Page("player", None, MEMBERS),
    "rename_player": Page("player", None, DIRECTORS),
    "player_initials": Page("player", None, DIRECTORS),
    "player_card": Page("player", DIRECTORS),
    "player_new_code": Page("player", None, DIRECTORS),
    "unlink_player": Page("player", None, DIRECTORS),
    "player_data": Page("player", None, DIRECTORS),
    "remove_player": Page("player", DIRECTORS, DIRECTORS),
    "merge_player": Page("player", DIRECTORS, DIRECTORS),
    "part_player": Page("merge", None, DIRECTORS),
    "my_initials": Page("own player", None, OWN),
    "my_data": Page("own player", None, OWN),
    "my_release": Page("own player", None, OWN),
    "my_removal": Page("own player", OWN, OWN),
    "claim_code": Page("", ACCOUNTS, ACCOUNTS),
    "claim": Page("claim", EVERYBODY, ACCOUNTS),
}

IMPORTS = {
    "imports": Page("club", DIRECTORS),
    "import_players": Page("club", DIRECTORS, DIRECTORS),
    "import_results": Page("club", DIRECTORS, DIRECTORS),
    "import_records": Page("club", DIRECTORS, DIRECTORS),
}

EVENTS = {
    "seasons": Page("club", MEMBERS, DIRECTORS, published=EVERYBODY),
    "season": Page("season", DIRECTORS, DIRECTORS),
    "league": Page("season", MEMBERS, published=EVERYBODY),
    "remove_season": Page("season", None, DIRECTORS),
    "put_in_season": Page("season", None, DIRECTORS),
    "take_from_season": Page("season", None, DIRECTORS),
    "league_document": Page("season", None, MEMBERS),
    "player_names": Page("club", DIRECTORS),
    "events": Page("club", MEMBERS, published=EVERYBODY),
    "new_event": Page("club", DIRECTORS, DIRECTORS),
    "event": Page("event", MEMBERS, published=EVERYBODY),
    # Nobody gets a document that has no name.
    "event_documents": Page("event", MEMBERS, NOBODY, published=EVERYBODY),
    "change_event": Page("event", DIRECTORS, DIRECTORS),
    "remove_event": Page("event", None, DIRECTORS),
    "open_round": Page("event", None, DIRECTORS),
    "close_round": Page("round", None, DIRECTORS),
    "reopen_round": Page("round", None, DIRECTORS),
    "new_event_table": Page("round", DIRECTORS, DIRECTORS),
    "event_table": Page("event table", DIRECTORS),
    "replace_address": Page("event table", None, DIRECTORS),
    "remove_table": Page("event table", DIRECTORS, DIRECTORS),
    "club_games": Page("club", MEMBERS, published=EVERYBODY),
    "club_game": Page("club game", MEMBERS, published=EVERYBODY),
}

TOURNAMENTS = {
    "new_tournament": Page("club", DIRECTORS, DIRECTORS),
    "tournament": Page("tournament", MEMBERS, published=EVERYBODY),
    "change_tournament": Page("tournament", DIRECTORS, DIRECTORS),
    "move_tournament": Page("tournament", None, DIRECTORS),
    "choose_entrant": Page("tournament", None, MEMBERS),
    "my_certificate": Page("tournament", None, NOBODY),
    "live_board": Page("tournament", MEMBERS, published=EVERYBODY),
    "notify_me": Page("tournament", None, only("member")),
    "next_step": Page("tournament", DIRECTORS, DIRECTORS),
    "remove_tournament": Page("tournament", DIRECTORS, DIRECTORS),
    "copy_tournament": Page("tournament", DIRECTORS, DIRECTORS),
    "tournament_record": Page("tournament", DIRECTORS),
    "tournament_records": Page("club", OWNERS, OWNERS),
    "cancel_tournament": Page("tournament", None, DIRECTORS),
    "restore_tournament": Page("tournament", None, DIRECTORS),
    "undo_act": Page("tournament", None, DIRECTORS),
    "replace_links": Page("tournament", None, DIRECTORS),
    "standings": Page("tournament", MEMBERS, published=EVERYBODY),
    "standings_picture": Page("tournament", MEMBERS, published=EVERYBODY),
    "why_place": Page("tournament round", MEMBERS, published=EVERYBODY),
    "seat_round": Page("tournament", None, DIRECTORS),
    "seating": Page("tournament round", MEMBERS, published=EVERYBODY),
    "swap_seats": Page("seated round", None, DIRECTORS),
    "seat_again": Page("seated round", None, DIRECTORS),
    "publish_round": Page("seated round", None, DIRECTORS),
    "take_back_round": Page("tournament round", None, DIRECTORS),
    "unseat_round": Page("seated round", None, DIRECTORS),
    "change_late": Page("tournament round", None, DIRECTORS),
    "running": Page("tournament round", MEMBERS, published=EVERYBODY),
    "open_tournament_round": Page("tournament round", None, DIRECTORS),
    "close_tournament_round": Page("tournament round", None, DIRECTORS),
    "reopen_tournament_round": Page("tournament round", None, DIRECTORS),
    "round_codes": Page("tournament round", DIRECTORS),
    "round_clock": Page("tournament round", None, DIRECTORS),
    "new_ruling": Page("tournament round", DIRECTORS, DIRECTORS),
    "line_ups": Page("tournament round", DIRECTORS, DIRECTORS),
    "round_totals": Page("tournament round", DIRECTORS, DIRECTORS),
    "running_table": Page("tournament table", DIRECTORS),
    "table_sheet": Page("tournament table", MEMBERS, published=EVERYBODY),
    "table_time": Page("tournament table", None, DIRECTORS),
    "finish_table": Page("tournament table", None, DIRECTORS),
    "settle_deal": Page("tournament table", None, DIRECTORS),
    "answer_call": Page("tournament table", None, DIRECTORS),
    "confirm_table": Page("tournament table", None, DIRECTORS),
    "rulings": Page("tournament", MEMBERS, published=EVERYBODY),
    "withdraw_ruling": Page("ruling", None, DIRECTORS),
    "round_changes": Page("tournament", DIRECTORS, DIRECTORS),
    "wall": Page("tournament", MEMBERS, published=EVERYBODY),
}

ENTRANTS = {
    "entrants": Page("tournament", MEMBERS, published=EVERYBODY),
    "add_entrants": Page("tournament", DIRECTORS, DIRECTORS),
    "check_entrant": Page("tournament", None, DIRECTORS),
    "fees": Page("tournament", DIRECTORS, DIRECTORS),
    "sections": Page("tournament", DIRECTORS, DIRECTORS),
    "register_card": Page("tournament", DIRECTORS),
    "check_in_card": Page("tournament", DIRECTORS),
    "entrant": Page("entrant", DIRECTORS),
    "withdraw_entrant": Page("entrant", None, DIRECTORS),
    "return_entrant": Page("entrant", None, DIRECTORS),
    "let_in_entrant": Page("entrant", None, DIRECTORS),
    "mark_house": Page("entrant", None, DIRECTORS),
    "change_entrant": Page("entrant", None, DIRECTORS),
    "remove_entrant": Page("entrant", None, DIRECTORS),
    "put_substitute": Page("entrant", None, DIRECTORS),
    "take_out_substitute": Page("entrant", None, DIRECTORS),
    "register": Page("register", EVERYBODY, EVERYBODY),
    "check_in": Page("check-in", EVERYBODY, EVERYBODY),
}

OF_A_TOURNAMENT = (
    *("tournament", "entrants", "seating", "running", "live_board", "rulings"),
    *("standings", "standings_picture", "why_place", "wall"),
    "table_sheet",
)
OF_AN_EVENING = ("event", "event_calendar", "event_documents", "club_game", *OF_A_TOURNAMENT)
"""Pages that everybody sees of a published evening in a club that is not published."""

ACCOUNT = {
    "account_login": Page("", EVERYBODY, EVERYBODY),
    "account_logout": Page("", EVERYBODY, EVERYBODY),
    "account_inactive": Page("", EVERYBODY),
    "account_signup": Page("", EVERYBODY, EVERYBODY),
    "account_reauthenticate": Page("", ACCOUNTS, ACCOUNTS),
    "account_email": Page("", ACCOUNTS, ACCOUNTS),
    "account_email_verification_sent": Page("", ACCOUNTS, ACCOUNTS),
    "account_change_password": Page("", ACCOUNTS, ACCOUNTS),
    "account_set_password": Page("", ACCOUNTS, ACCOUNTS),
    "account_reset_password": Page("", EVERYBODY, EVERYBODY),
    "office_factor": Page("", ACCOUNT_OF_STAFF, ACCOUNT_OF_STAFF),
    "account_confirm_login_code": Page("", EVERYBODY, EVERYBODY),
    "account_confirm_password_reset_code": Page("", TO_SIGN_IN, TO_SIGN_IN),
    "account_complete_password_reset": Page("", EVERYBODY, EVERYBODY),
    "account_password_reset_completed": Page("", EVERYBODY),
    "account_request_login_code": Page("", EVERYBODY, EVERYBODY),
    "mfa_list_webauthn": Page("", ACCOUNTS),
    "mfa_index": Page("", ACCOUNTS),
    "mfa_add_webauthn": Page("", PROVED_AGAIN, PROVED_AGAIN),
    "mfa_reauthenticate_webauthn": Page("", PROVED_AGAIN, PROVED_AGAIN),
    "mfa_remove_webauthn": Page("key", PROVED_AGAIN, PROVED_AGAIN),
    "mfa_edit_webauthn": Page("key", PROVED_AGAIN, PROVED_AGAIN),
    "mfa_login_webauthn": Page("", ACCOUNTS, ACCOUNTS),
    "usersessions_list": Page("", ACCOUNTS, ACCOUNTS),
}

KEPT = (
    *("account_emailaddress", "admin_logentry", "mfa_authenticator", "usersessions_usersession"),
    *(
        f"tournaments_{name}"
        for name in (
            *("auditentry", "club", "event", "game", "houseruleset", "invitation", "match"),
            *("member", "merge", "player", "report", "round", "season", "table", "user"),
            *("entrant", "ruling", "sitting", "substitute", "tournament"),
            *("playerrating", "ratingdue", "check", "difference", "email"),
            *("personaltoken", "idempotencyrecord", "webhook", "delivery", "changefeed"),
        )
    ),
)

OFFICE = {
    "admin:index": Page("", STAFF, STAFF),
    "admin:app_list": Page("office app", STAFF, STAFF),
    "admin:login": Page("", TO_THE_OFFICE, TO_THE_OFFICE),
    "admin:logout": Page("", {**EVERYBODY, "staff": NO_METHOD}, EVERYBODY),
    "admin:password_change": Page("", STAFF, STAFF),
    "admin:password_change_done": Page("", STAFF),
    "admin:autocomplete": Page("", OFFICE_READ_ONLY),
    "admin:jsi18n": Page("", STAFF),
    "admin:view_on_site": Page("office site", OFFICE_NOTHING, OFFICE_NOTHING),
    "office/(?P<url>.*)$": Page("office elsewhere", OFFICE_NOTHING, OFFICE_NOTHING),
}
for kept in KEPT:
    row = f"office {kept.partition('_')[2]}"
    OFFICE |= {
        f"admin:{kept}_changelist": Page("", STAFF, STAFF),
        f"admin:{kept}_change": Page(row, STAFF, OFFICE_READ_ONLY),
        f"admin:{kept}_history": Page(row, STAFF, STAFF),
        f"admin:{kept}_add": Page("", OFFICE_READ_ONLY, OFFICE_READ_ONLY),
        f"admin:{kept}_delete": Page(row, OFFICE_READ_ONLY, OFFICE_READ_ONLY),
        f"office/{kept.replace('_', '/', 1)}/<path:object_id>/": Page(row, STAFF, STAFF),
    }

PAGES = (
    SITE
    | SHEETS
    | OPEN_TABLES
    | FOLLOWED
    | HOUSE_RULES
    | CLUBS
    | PLAYERS
    | IMPORTS
    | EVENTS
    | TOURNAMENTS
    | ENTRANTS
    | ACCOUNT
    | OFFICE
)
