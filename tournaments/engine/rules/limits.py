"""Maximum lengths of texts, wherever they are typed, stored or read from a document."""

LONGEST_NAME = 80
"""Names of players, clubs, teams, events, seasons, rulesets and contracts; titles, places,
authors."""

LONGEST_VENUE = 100
"""Longest venue of an evening or tournament."""

LONGEST_SHOWN_NAME = 100
"""The name of a player as shown at a table."""

LONGEST_REASON = 200
"""The reason for a change, a ruling or a removal."""

LONGEST_ID = 40
"""The id of a ruleset or contract, and the slug of a club."""

LONGEST_TOURNAMENT_SLUG = 60
LONGEST_TOKEN_NAME = 60
