from django.urls import reverse

from tests.api.conftest import Program
from tests.club_factories import MemberFactory
from tests.tournament_builders import closed, running
from tournaments.models import AuditEntry, Entrant, Tournament

FEES = {"fee": "10.01", "prizes": ["50%", "30%", "20%"]}


def test_paid_fees_are_shared_out_and_ties_share_their_prizes(visitor):
    row = running("Ada", "Bora", "Cem", "Deniz")
    closed(row, tables=[[2, 4, 1, 3]])
    Tournament.objects.update(settings={**row.settings, **FEES, "tie_breaks": []})
    director = visitor.become("director", row.event.club)
    fees = reverse("fees", args=[row.event.club.slug, row.slug])
    for number in (1, 2, 3):
        director.post(fees, {"paid": number})
    director.post(fees, {"unpaid": 3})

    page = director.get(fees)
    assert (page.context["paid"], page.context["pot"]) == (2, "20.02")
    assert page.context["prizes"] == [
        (1, "Deniz", "10.02", ""),
        (2, "Bora", "5", ""),
        (2, "Cem", "5", ""),
    ]
    assert list(Entrant.objects.values_list("paid", flat=True)) == [True, True, False, False]
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions)[-2:] == ["fee-paid", "fee-not-paid"]

    said = {**row.settings, "prizes": ["20", "3", "2.01"], "tie_breaks": []}
    Tournament.objects.update(settings=said)
    prizes = director.get(fees).context["prizes"]
    assert prizes == [
        (1, "Deniz", "20", ""),
        (2, "Bora", "2.51", ""),
        (2, "Cem", "2.50", ""),
    ]


def test_only_directors_see_who_has_paid(visitor):
    row = running("Ada", "Bora")
    club = row.event.club
    program = Program()
    entrants = f"clubs/{club.slug}/tournaments/{row.slug}/entrants/"
    director, member = (MemberFactory(club=club, role=role).user for role in ("director", "member"))

    assert program.as_(director).patch(f"{entrants}1/", {"paid": True}).json()["paid"] is True
    seen = [program.as_(user).get(entrants).json()["results"] for user in (director, member)]
    assert [[each["paid"] for each in page] for page in seen] == [[True, False], [None, None]]
    document = program.as_(director).get(f"clubs/{club.slug}/tournaments/{row.slug}/record/").json()
    assert [each.get("paid") for each in document["entrants"]] == [True, None]
