"""The commands of docs/https.md, line by line, on a copy of this machine.

    .venv/bin/python -m pytest tests/production/test_https_page.py -n0 -s

The copy is made of namespaces: the files of this machine below a layer that is thrown away, and a
network with nothing in it but the loopback, where all ports are free. `REPLACED` says what else is
not as on the page. The program is that of the last commit.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from tests.production import systemctl
from tests.servers import ROOT
from tests.waiting import wait_until

(COMMANDS,) = re.findall(r"```\n(SITE=.*?)```", (ROOT / "docs/https.md").read_text(), re.DOTALL)
COMMANDS = COMMANDS.splitlines()

REPLACED = {
    # `.ci/run` has installed them.
    "apt-get update && apt-get install -y": "dpkg-query --show",
    "ADDRESS-OF-THE-PROJECT": str(ROOT),
    # It asks for these.
    "createsuperuser": "createsuperuser --noinput --username host --email host@club.example",
}

LAYERS = ("/etc", "/opt", "/usr/local", "/var/lib", "/var/log")

SIGNED_BY = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
TRUSTED = "/etc/ssl/rehearsal.crt"
"""What only Caddy can read, and a copy of it that browsers of this machine would trust."""

BEGIN = """
set -e
for place in {layers}; do
  layer={folder}$place
  mkdir -p $layer/new $layer/work
  mount -t overlay overlay -o lowerdir=$place,upperdir=$layer/new,workdir=$layer/work $place
done
ip link set lo up
echo "127.0.0.1 king.example.org" >> /etc/hosts
git config --system --add safe.directory '*'
printf '#!/bin/sh\\nexec {python} {systemctl} "$@"\\n' > /usr/local/sbin/systemctl
chmod 755 /usr/local/sbin/systemctl
echo begun
exec sleep infinity
"""

PROGRAMS = ("unshare", "nsenter", "ip", "setpriv", "caddy", "git", "make", "adduser")


MACHINE = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": os.environ.get("HOME", "/root"),
    "DJANGO_SUPERUSER_PASSWORD": "rehearsed and thrown away",
    # Where packages come from.
    **{n: value for n, value in os.environ.items() if n.startswith(("PIP_", "UV_", "SSL_"))},
}


class Copy:
    """This machine in namespaces, with an overlay on its files; its processes end with it."""

    def __init__(self, folder):
        words = {
            "layers": " ".join(LAYERS),
            "folder": folder,
            "python": "/usr/bin/python3",
            "systemctl": systemctl.__file__,
        }
        apart = ("--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child")
        self.holder = subprocess.Popen(
            ["unshare", *apart, "sh", "-c", BEGIN.format(**words)],
            stdout=subprocess.PIPE,
            text=True,
            env=MACHINE,
        )
        assert self.holder.stdout.readline() == "begun\n"
        pid = self.holder.pid
        self.first = Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()

    def run(self, command, *, network=False):
        """Run a command in the copy; with the network of this machine, if packages are fetched."""
        apart = ("--mount", "--pid", *(() if network else ("--net",)))
        trust = {} if network else {"SSL_CERT_FILE": TRUSTED}
        return subprocess.run(
            ["nsenter", "--target", self.first, *apart, "bash", "-c", command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            env=MACHINE | trust,
            check=False,
        )

    def close(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()


@pytest.fixture
def copy():
    missing = [name for name in PROGRAMS if not shutil.which(name, path=MACHINE["PATH"])]
    assert not missing or os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") != "1", missing
    apart = ["unshare", "--mount", "--net", "true"]
    if missing or subprocess.run(apart, capture_output=True, check=False).returncode:
        pytest.skip(f"root may not make namespaces here, or there is no {', '.join(missing)}")
    # Those of pytest can be read by root only.
    folder = Path("/var/tmp", f"kingscore-copy-{os.getpid()}")
    copy = Copy(folder)
    try:
        yield copy
    finally:
        copy.close()
        shutil.rmtree(folder, ignore_errors=True)


def test_twelve_commands_lead_to_an_address_that_the_doctor_finds_well(copy):
    assert len(COMMANDS) == 12
    site, *commands, doctor = COMMANDS

    for line in commands:
        begun, command = monotonic(), line
        for words, others in REPLACED.items():
            command = command.replace(words, others)
        done = copy.run(f"{site}\n{command}", network="make" in command)
        print(f"{monotonic() - begun:5.1f} s  {command}", file=sys.stderr)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"

    doctor = f"install --mode 644 {SIGNED_BY} {TRUSTED} && {doctor}"
    # Until Caddy has its certificate, and the worker has said that it lives.
    well = wait_until(
        lambda: is_well(copy.run(doctor)),
        patience=120,
        every=2,
        said=lambda: copy.run(doctor).stdout,
    )
    print(well, file=sys.stderr)
    assert "https://king.example.org is reached" in well
    assert "http:// leads to https://" in well

    closed = copy.run(f"chmod 700 /opt/kingscore/.venv && {commands[3]}", network=True)
    assert "The user of the service cannot run /usr/bin/python3" in closed.stderr
    assert closed.returncode


def is_well(done):
    return not done.returncode and done.stdout
