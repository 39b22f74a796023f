"""The arguments and the port of `up`, and the addresses at which others find it; without Django."""

import socket
import sys
from argparse import ArgumentParser

HELP = "Set up what is missing and run the web server and the worker until Ctrl-C."


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `up`."""
    parser.add_argument("--host", default="0.0.0.0")  # noqa: S104 - phones must reach it
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")


def open_listener(host: str, port: int) -> socket.socket:
    """Listen for connections; end with a message if that is impossible.

    The web server inherits the socket: while it restarts, connections wait in the queue instead of
    being refused.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        sys.exit(
            f"Cannot listen on {host}, port {port}: {error.strerror}."
            " Is Kingscore running already? Another port: --port 8001"
        )
