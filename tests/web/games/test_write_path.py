import pytest

from benchmarks.write_path import MOST_FILES, TABLES, count_calls, files_of


@pytest.mark.parametrize("table", TABLES)
def test_deal_runs_through_few_files(table):
    files = files_of(count_calls(TABLES[table]()))

    assert "tournaments/services/games/writing.py" in files
    assert len(files) <= MOST_FILES, sorted(files)
