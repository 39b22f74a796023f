import re

from tests.servers import ROOT
from tournaments.engine.rules.rulesets import UNITS


def test_style_sheet_can_show_a_row_for_every_unit_and_names_none():
    rules = (ROOT / "static" / "entry.css").read_text()
    shown = re.findall(r":has\(\.counts-no-(\d+):checked\) \.unit-no-(\d+)", rules)
    assert shown[: len(UNITS)] == [(str(number), str(number)) for number in range(len(UNITS))]
    assert [unit for unit in UNITS if re.search(rf"-{unit}\b", rules)] == []
