"""The players of a club: listed, looked at, changed, merged, and claimed by who they are."""
