"""The expected answer to each visitor at every address of the project, for GET and POST.

`docs/access.md` says it in sentences. Each line names an address, the place that fills it in
(`access_world.py`), and who is let in; all others get what the rule for them says. An address with
a secret is tried with the right one, with that of a table whose round is closed, and with a wrong
one, which lets in nobody.
"""

import re
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


PLAYERS = only("member")
WHO = {name: rule for name, rule in globals().items() if name.isupper()} | {"-": None}


def pages(rows):
    """The pages of rows that name their place, who may get, who may post, and where published."""
    for row in re.sub(r"\n(?= )|#.*\n", "", rows).strip().splitlines():
        place, rights, names = row.split("|")
        get, post, published = (WHO[rule] for rule in (*rights.split(), "-")[:3])
        page = Page(place.strip(), get, post, published=published)
        yield from dict.fromkeys(names.split(), page).items()


AS_WRITTEN = dict(
    pages("""
| EVERYBODY - | api_index api_problems api_reference home offline new_offline table_offline guide
    service_worker rules server_ratings server_calibration embed_colours
    oauth2_provider:oauth-server-metadata account_inactive account_password_reset_completed
| STAFF - | status
| EVERYBODY EVERYBODY | new verify tables set_language notifications renew_subscription
    account_login account_logout account_signup account_reset_password account_confirm_login_code
    account_complete_password_reset account_request_login_code
| - EVERYBODY | sample preferences carry_tables join_names oauth2_provider:token
    oauth2_provider:revoke-token
| - ACCOUNTS | save_tables replace_calendar
| EVERYBODY ACCOUNTS | clubs
| ACCOUNTS - | me tokens mfa_list_webauthn mfa_index
| PROVED_AGAIN PROVED_AGAIN | new_token new_application oauth2_provider:authorize delete_account
    mfa_add_webauthn mfa_reauthenticate_webauthn
| ACCOUNTS ACCOUNTS | claim_code account_reauthenticate account_email
    account_email_verification_sent account_change_password account_set_password mfa_login_webauthn
    usersessions_list
| ACCOUNT_OF_STAFF ACCOUNT_OF_STAFF | office_factor
| TO_SIGN_IN TO_SIGN_IN | account_confirm_password_reset_code
topic of the API | EVERYBODY - | api_topic
form of the API | EVERYBODY - | api_form
# Whoever takes them first has them.
transfer | EVERYBODY EVERYBODY | carried_tables
rules of the club | MEMBERS - | rules_of_game rules_json
ruleset | - EVERYBODY | empty_sheet
club | MEMBERS - EVERYBODY | club club_ratings club_calibration share_club club_records events
    club_games
club | DIRECTORS - | club_ratings_record club_changes imports player_names
club | OWNERS OWNERS | club_settings new_webhook tournament_records
club | MEMBERS OWNERS EVERYBODY | club_logo
club | NOBODY - EVERYBODY | club_calendar club_results
club | MEMBERS MEMBERS | leave_club
club | MEMBERS - | people players
club | DIRECTORS DIRECTORS | new_invitation new_players import_players import_results import_records
    new_event new_tournament
club | OWNERS - | webhooks
club | - MEMBERS | club_month
club | - DIRECTORS | my_month
club | MEMBERS DIRECTORS EVERYBODY | seasons
event | MEMBERS - EVERYBODY | event_calendar event
# Nobody gets a document that has no name.
event | MEMBERS NOBODY EVERYBODY | event_documents
event | DIRECTORS DIRECTORS | change_event
event | - DIRECTORS | remove_event open_round
club part | NOBODY - EVERYBODY | embed
calendar | EVERYBODY - | calendar
mails | EVERYBODY EVERYBODY | end_subscription
person | OWNERS OWNERS | member
person | - OWNERS | remove_member
invitation | DIRECTORS - | invitation
invitation | - DIRECTORS | withdraw_invitation
webhook | OWNERS - | webhook
webhook | OWNERS OWNERS | change_webhook webhook_secret
webhook | - OWNERS | pause_webhook test_webhook remove_webhook
webhook call | - OWNERS | send_again
join | EVERYBODY ACCOUNTS | join
own token | OWN OWN | token
own application | OWN OWN | application
own application | - ACCOUNTS | withdraw_application
player | MEMBERS - EVERYBODY | player
player | MEMBERS - | player_opponents
player | - MEMBERS | player_document
player | - DIRECTORS | rename_player player_initials player_new_code unlink_player player_data
player | DIRECTORS - | player_card
player | DIRECTORS DIRECTORS | remove_player merge_player
two players | MEMBERS - | player_against
merge | - DIRECTORS | part_player
own player | - OWN | my_initials my_data my_release
own player | OWN OWN | my_removal
claim | EVERYBODY ACCOUNTS | claim
season | DIRECTORS DIRECTORS | season
season | MEMBERS - EVERYBODY | league
season | - DIRECTORS | remove_season put_in_season take_from_season
season | - MEMBERS | league_document
round | - DIRECTORS | close_round reopen_round
round | DIRECTORS DIRECTORS | new_event_table
event table | DIRECTORS - | event_table
event table | - DIRECTORS | replace_address
event table | DIRECTORS DIRECTORS | remove_table
club game | MEMBERS - EVERYBODY | club_game
tournament | MEMBERS - EVERYBODY | tournament live_board standings standings_picture rulings wall
    entrants
tournament | DIRECTORS DIRECTORS | change_tournament next_step remove_tournament copy_tournament
    round_changes add_entrants fees sections
tournament | - DIRECTORS | move_tournament cancel_tournament restore_tournament undo_act
    replace_links seat_round check_entrant
tournament | - MEMBERS | choose_entrant
tournament | - NOBODY | my_certificate
tournament | - PLAYERS | notify_me
tournament | DIRECTORS - | tournament_record register_card check_in_card
tournament round | MEMBERS - EVERYBODY | why_place seating running
tournament round | - DIRECTORS | take_back_round change_late open_tournament_round
    close_tournament_round reopen_tournament_round round_clock
tournament round | DIRECTORS - | round_codes
tournament round | DIRECTORS DIRECTORS | new_ruling line_ups round_totals
seated round | - DIRECTORS | swap_seats seat_again publish_round unseat_round
tournament table | DIRECTORS - | running_table
tournament table | MEMBERS - EVERYBODY | table_sheet
tournament table | - DIRECTORS | table_time finish_table settle_deal answer_call confirm_table
ruling | - DIRECTORS | withdraw_ruling
entrant | DIRECTORS - | entrant
entrant | - DIRECTORS | withdraw_entrant return_entrant let_in_entrant mark_house change_entrant
    remove_entrant put_substitute take_out_substitute
register | EVERYBODY EVERYBODY | register
check-in | EVERYBODY EVERYBODY | check_in
key | PROVED_AGAIN PROVED_AGAIN | mfa_remove_webauthn mfa_edit_webauthn
""")
)


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


OF_A_TOURNAMENT = (
    *("tournament", "entrants", "seating", "running", "live_board", "rulings"),
    *("standings", "standings_picture", "why_place", "wall"),
    "table_sheet",
)
OF_AN_EVENING = ("event", "event_calendar", "event_documents", "club_game", *OF_A_TOURNAMENT)
"""Pages that everybody sees of a published evening in a club that is not published."""


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

PAGES = AS_WRITTEN | SHEETS | OPEN_TABLES | FOLLOWED | HOUSE_RULES | OFFICE
