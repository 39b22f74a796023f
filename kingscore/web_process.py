"""The web server as one process; gunicorn would need a second one, which holds 40 MB and waits.

It listens at the socket of which it is given the number.
"""

import os
import socket
import sys

from setproctitle import setproctitle
from uvicorn import Config, Server

from kingscore.asgi import application
from kingscore.web_worker import OPTIONS, begin


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
    Server(config).run([socket.socket(fileno=int(sys.argv[1]))])


if __name__ == "__main__":
    main()
