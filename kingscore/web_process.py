"""The web server as one process; gunicorn would need a second one, which holds 40 MB and waits.

It listens at the socket of which it is given the number.
"""

import faulthandler
import os
import socket
import sys

from setproctitle import setproctitle
from uvicorn import Config, Server

from kingscore.asgi import application
from kingscore.web_worker import OPTIONS, begin

HUNG_SECONDS = 60


class WatchedServer(Server):
    """A server that ends if its loop hangs for a minute; `up` starts it again.

    Gunicorn does so for its workers. The timer of `faulthandler` runs outside Python, so no hanging
    code can stop it, and prints the stack of each thread.
    """

    async def on_tick(self, counter: int) -> bool:
        # Ten a second.
        if counter % 10 == 0:
            faulthandler.dump_traceback_later(HUNG_SECONDS, exit=True)
        return await super().on_tick(counter)


def main() -> None:
    """Serve until a signal."""
    setproctitle("kingscore: web server")
    begin(group=os.getpid())
    config = Config(
        application,
        log_config=None,
        timeout_keep_alive=int(sys.argv[2]),
        **OPTIONS,
    )
    WatchedServer(config).run([socket.socket(fileno=int(sys.argv[1]))])


if __name__ == "__main__":
    main()
