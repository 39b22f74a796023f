import pytest

from tournaments.management.nursery import Answer
from tournaments.management.supervisor import Watchdog, WorkerProgram

pytestmark = pytest.mark.slow


def test_worker_that_nobody_has_forked_starts_by_itself(capfd, tmp_path):
    started = Answer(
        found_at="", web=[], worker=["platform"], failures=str(tmp_path / "failures"), pid=None
    )
    watchdog = Watchdog()
    with (tmp_path / "listener").open("w") as listener:
        worker = WorkerProgram(started, listener.fileno(), watchdog)

        assert worker.process.wait(60)

    worker.end_rest()
    watchdog.close()
    assert worker.process.returncode == 0
    assert "Linux" in capfd.readouterr().out
