"""How a tournament is played, in a few sentences made from its settings."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.standings.results import BYE_AVERAGE
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.presenters.standings.standings import tie_break_name
from tournaments.texts import labels
from tournaments.texts.labels import Text, points_text

SEATED: Mapping[str, Text] = {
    "swiss": gettext_lazy(
        "The first round is drawn by lot; after it those with about the same points meet, and"
        " whoever has met sits apart as far as possible."
    ),
    "random": gettext_lazy("The tables of each round are drawn by lot."),
    "fixed": gettext_lazy(
        "A plan seats all rounds before the start, so that as few as possible meet twice."
    ),
    "rank-near": gettext_lazy(
        "In each round neighbours in the standings sit together: the first four at one table, then"
        " the next."
    ),
    "rank-spread": gettext_lazy(
        "In each round the first places are spread over the tables, then the next."
    ),
    "round-robin": gettext_lazy("Everybody meets everybody."),
    "manual": gettext_lazy("The director says who sits with whom."),
}

WORTH: Mapping[str, Text] = {
    "game": gettext_lazy(
        "The points of your game are those of the round, and the largest sum wins"
    ),
    "places": gettext_lazy(
        "The place at your table gives points (%(points)s), and the largest sum wins"
    ),
    "out": gettext_lazy("Each game that you win, or get out of, gives 1, and the largest sum wins"),
    "pair-difference": gettext_lazy(
        "What you are ahead of the others at the table counts, and the largest sum wins"
    ),
}


def rules_told(rules: Ruleset, settings: TournamentSettings) -> list[str]:
    """Return the sentences: the game, the rounds, the tables, the points, and who is left over."""
    return [
        _game(rules),
        _rounds(settings),
        str(SEATED[settings.seating]),
        _worth(settings),
        *_finals(settings),
        _left_over(settings),
    ]


def _game(rules: Ruleset) -> str:
    name = labels.name_of(rules)
    if rules.deals is None:
        return _("%(game)s is played.") % {"game": name}
    text = ngettext(
        "%(game)s is played, with %(number)s deal.",
        "%(game)s is played, with %(number)s deals.",
        rules.deals,
    )
    return text % {"game": name, "number": rules.deals}


def _rounds(settings: TournamentSettings) -> str:
    number = settings.rounds
    if settings.minutes is None:
        text = ngettext(
            "There is %(number)s round, one game at a table.",
            "There are %(number)s rounds, each one game at a new table.",
            number,
        )
        return text % {"number": number}
    text = ngettext(
        "There is %(number)s round, one game of at most %(minutes)s minutes.",
        "There are %(number)s rounds, each one game at a new table, of at most"
        " %(minutes)s minutes.",
        number,
    )
    return text % {"number": number, "minutes": settings.minutes}


def _worth(settings: TournamentSettings) -> str:
    points = " · ".join(map(points_text, settings.place_points))
    said = str(WORTH[settings.points]) % {"points": points}
    if not settings.tie_breaks:
        return f"{said}."
    first = tie_break_name(settings.tie_breaks[0])
    return _("%(worth)s; between equals this comes first: %(tie_break)s.") % {
        "worth": said,
        "tie_break": first,
    }


def _finals(settings: TournamentSettings) -> Iterator[str]:
    if settings.finals:
        text = (
            _(
                "After the last round the first %(number)s play on for the victory, with their"
                " points."
            )
            if settings.carry
            else _("After the last round the first %(number)s play on for the victory, from zero.")
        )
        yield text % {"number": settings.finals}


def missed_sentence(settings: TournamentSettings) -> str:
    """Return what the rounds are worth that somebody who comes late has missed."""
    if settings.missed is None or settings.line_up:
        return _("Missed rounds are worth nothing; sitting out is worth as much as at any time.")
    text = _(
        "Each missed round is worth %(points)s points; sitting out on arrival is worth no more."
    )
    return text % {"points": points_text(settings.missed)}


def _left_over(settings: TournamentSettings) -> str:
    if settings.odd == "house":
        return _("Free chairs go to house players, whose results count for nobody.")
    if settings.bye == BYE_AVERAGE:
        return _("Who finds no chair sits a round out and gets the average of the own rounds.")
    text = _("Who finds no chair sits a round out and gets %(points)s points.")
    return text % {"points": points_text(settings.bye)}
