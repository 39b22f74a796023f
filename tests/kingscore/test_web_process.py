import socket
import subprocess
import sys
import time

import pytest

from tests.phones import CUT_OFF, Phone
from tests.servers import ROOT, environment_of
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

HANGS = """
import socket, sys, time
from uvicorn import Config
from kingscore import web_process

async def answers(scope, receive, send):
    if scope["path"] == "/hangs":
        time.sleep(1000)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})

web_process.HUNG_SECONDS = 5
config = Config(answers, log_config=None, lifespan="off", timeout_keep_alive=1000)
web_process.WatchedServer(config).run([socket.socket(fileno=int(sys.argv[1]))])
"""


def test_server_ends_with_where_it_stood_only_if_its_loop_stands_still(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = subprocess.Popen(
            [sys.executable, "-c", HANGS, str(listener.fileno())],
            cwd=ROOT,
            env=environment_of(tmp_path, DJANGO_SETTINGS_MODULE="kingscore.settings"),
            pass_fds=[listener.fileno()],
            stderr=subprocess.PIPE,
            text=True,
        )
        phone = Phone(*listener.getsockname())
        try:
            assert wait_until(lambda: phone.ask("GET", "/").status == 200)
            time.sleep(7)
            assert phone.ask("GET", "/").status == 200
            with pytest.raises(CUT_OFF):
                phone.ask("GET", "/hangs")
            _, said = server.communicate(timeout=PATIENCE)
        finally:
            server.kill()
            server.wait()

    assert server.returncode == 1
    assert "in answers" in said
