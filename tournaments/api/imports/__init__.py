"""Players, results and records that a club takes over: looked at, then imported."""
