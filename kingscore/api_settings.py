"""Settings of the API; none of them depends on the environment."""

# Requests a minute, for each token, table or address, over all processes of the site. Requests
# with an invalid token have a limit of their own.
API_LIMITS = {"read": 1200, "write": 300, "failure": 60}
KNOX_TOKEN_MODEL = "tournaments.PersonalToken"  # noqa: S105
REST_KNOX = {
    "AUTH_HEADER_PREFIX": "Bearer",
    # A prefix, so that scanners recognize a token that leaks.
    "TOKEN_PREFIX": "ks_",
    # A token lasts until it is revoked, unless it was made with an expiry.
    "TOKEN_TTL": None,
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tournaments.api.access.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["tournaments.api.access.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["tournaments.api.fields.StrictJSONParser"],
    # The description of the API documents each address.
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_RENDERER_CLASSES": ["tournaments.api.fields.PlainJSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "tournaments.api.filtering.KeysetPagination",
    "DEFAULT_FILTER_BACKENDS": [
        "tournaments.api.filtering.StrictFilterBackend",
        "tournaments.api.filtering.StrictOrderingFilter",
    ],
    # No `?format=`: clients choose by the header Accept.
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "tournaments.api.schema.DescribedSchema",
    "EXCEPTION_HANDLER": "tournaments.api.problems.answer_problem",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Kingscore",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [
        "tournaments.api.components.complete",
    ],
}
