"""A mail server that takes every mail and keeps to whom it was and what about."""

import email
import socketserver
import threading
import time
from collections import Counter
from email import policy
from types import TracebackType
from typing import Self


class MailSink:
    """Speaks as much of SMTP as a mail takes; `got` counts mails by receiver and subject.

    `slow` is how many seconds it thinks after each mail, before it says that it has taken it, and
    after that.
    """

    def __init__(self) -> None:
        self.got: Counter[tuple[str, str]] = Counter()
        self.slow = 0.0
        sink = self

        class Talk(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                sink._talk(self)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Talk)
        self.server.daemon_threads = True
        self.port = int(self.server.server_address[1])

    def _talk(self, line: socketserver.StreamRequestHandler) -> None:
        line.wfile.write(b"220 sink\r\n")
        to = ""
        while said := line.rfile.readline().decode(errors="replace").strip():
            word = said[:4].upper()
            if word == "RCPT":
                to = said.partition("<")[2].partition(">")[0]
            if word == "DATA":
                line.wfile.write(b"354 go on\r\n")
                self._keep(to, line)
            line.wfile.write(b"221 bye\r\n" if word == "QUIT" else b"250 ok\r\n")

    def _keep(self, to: str, line: socketserver.StreamRequestHandler) -> None:
        lines = []
        while (part := line.rfile.readline()) not in (b".\r\n", b""):
            lines.append(part)
        mail = email.message_from_bytes(b"".join(lines), policy=policy.default)
        self.got[to, str(mail["Subject"])] += 1
        time.sleep(self.slow)

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, args=[0.05], daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.server.shutdown()
        self.server.server_close()
