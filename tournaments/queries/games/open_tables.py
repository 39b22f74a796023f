"""The games of an open table, one after another."""

from django.db.models import Max

from tournaments.models import Game


def next_number(open_table_pk: int) -> int:
    """Return the number of the next game of a table, whose row the caller has locked."""
    games = Game.objects.filter(open_table=open_table_pk)
    return int(games.aggregate(last=Max("number"))["last"] or 0) + 1


def games_until(row: Game) -> list[Game]:
    """Return the games at the open table of a game up to it, in order (1 query)."""
    if row.open_table_id is None:
        return [row]
    games = Game.objects.filter(open_table=row.open_table_id, number__lte=row.number)
    return list(games.select_related("match").order_by("number"))


def last_game_after(row: Game) -> Game | None:
    """Return the last game that followed one at its table (1 query); at a club's, of its match."""
    if row.open_table_id is not None:
        later = Game.objects.filter(open_table=row.open_table_id, number__gt=row.number)
        return later.order_by("number").last()
    if row.match_id is None:
        return None
    later = Game.objects.filter(match=row.match_id, match_number__gt=row.match_number)
    return later.order_by("match_number").last()
