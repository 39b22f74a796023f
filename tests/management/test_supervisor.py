import socket

import pytest

from tournaments.management.supervisor import Nursery

pytestmark = pytest.mark.slow


def test_program_starts_by_itself_when_nothing_can_be_shared(capfd):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nursery = Nursery("no.such.module", listener.fileno())

        program = nursery.start(["platform"], ())

        assert program.wait(60) == 0
        nursery.close()
    out, err = capfd.readouterr()
    assert "Linux" in out
    assert "No module named 'no'" in err
