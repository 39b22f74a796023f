"""The parts of a site on servers: one process each, started, waited for and stopped by hand."""

import os
import signal
import socket
import subprocess
from contextlib import closing
from pathlib import Path

from tests.waiting import PATIENCE, wait_until


class Part:
    """A program that runs until it is told to stop, in a process group of its own."""

    stops_by = signal.SIGTERM
    ends_by = signal.SIGKILL

    def __init__(self, name, words, log, answers=None, **more):
        """`answers` says whether the part does its work; one without it is taken at its word."""
        self.name, self.words, self.answers, self.more = name, words, answers, more
        self.log = Path(log) / f"{name}.log"
        self.process = None

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.words,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self.more,
            )

    def wait(self):
        wait_until(self.is_ready, said=self.last_words)

    def is_ready(self):
        assert self.process.poll() is None, f"{self.name} ended: {self.last_words()}"
        return self.answers is None or self.answers()

    def stop(self):
        self.process.send_signal(self.stops_by)
        self.process.wait(PATIENCE)

    def end(self):
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, self.ends_by)
            self.process.wait()

    @property
    def said(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def last_words(self):
        return self.said[-3000:]


class Postgres(Part):
    # It waits for nobody who is connected: its fast way, and its immediate one.
    stops_by = signal.SIGINT
    # Its processes are in groups of their own, and share memory that somebody must give back.
    ends_by = signal.SIGQUIT


def listens_at(port, says=b"", answers=b""):
    try:
        with closing(socket.create_connection(("127.0.0.1", port), 2)) as line:
            line.sendall(says)
            return not answers or line.recv(len(answers)) == answers
    except OSError:
        return False
