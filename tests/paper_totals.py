from tournaments.engine.rules.scoring import sums_of

STOPPED = {"type": "stopped", "reason": "other"}


def totals_of(rules):
    """Totals that can end a game: the first side wins, in games that go to 0 the last one pays."""
    least, _most = sums_of(rules).game or (0, 0)
    first = rules.target or least + 120
    return [first, *[0] * (rules.side_count - 2), 0 if rules.target else least - first]


def line(seat, points, reason="totals"):
    return {"type": "adjustment", "seat": seat, "points": points, "to": "none", "reason": reason}


def lines_of(rules, totals, reason="totals"):
    """The entries of before: an adjustment for each side with points, and the end."""
    lines = [line(seat, points, reason) for seat, points in enumerate(totals) if points]
    return lines if rules.target and max(totals) >= rules.target else [*lines, STOPPED]
