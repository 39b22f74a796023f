"""The state of tournaments and their next steps."""
