"""A whole site as deploy/ describes it, on this machine and without containers.

The words that start the programs, their environment and what is copied into the image are read from
deploy/compose.yaml and deploy/Dockerfile, so that they are what is tried. Not tried are the images
of others and the walls between containers.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path

import trustme
from ruamel.yaml import YAML

from tests.production.parts import PATIENCE, Part, Postgres, free_ports, listens_at
from tests.servers import READ_SHEETS, ROOT, prepared

DEPLOY = ROOT / "deploy"
COPIED = re.compile(r"^COPY (?!--from)(?!deploy)(.+) (\S+)$", re.MULTILINE)
STARTED = re.compile(r"^CMD (\[.+\])$", re.MULTILINE)
COMPOSE = YAML(typ="safe").load((DEPLOY / "compose.yaml").read_text())
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
PASSWORD = "rehearsed"
SECRET_KEY = "rehearsed-and-thrown-away-" * 3
AS_POSTGRES = {"user": "postgres", "group": "postgres", "extra_groups": []}


def missing_programs():
    """What this machine lacks for it."""
    wanted = {"redis-server": shutil.which("redis-server"), "caddy": shutil.which("caddy")}
    return [*(name for name, path in wanted.items() if not path)] + (
        [] if postgres_programs() else ["postgresql"]
    )


def postgres_programs():
    """The folder of the newest PostgreSQL; Debian has them beside each other."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: p.parts[-3])
    return found[-1].parent if found else None


class Site:
    """PostgreSQL, Redis, two web servers, a worker, beat and the proxy in front."""

    def __init__(self):
        # PostgreSQL refuses to run as root, and is not let into folders of the tests.
        self.folder = Path(tempfile.mkdtemp(prefix="kingscore-production-"))
        self.folder.chmod(0o755)
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        ports = free_ports(7)
        self.http, self.https, self.admin, self.postgres_port, self.redis_port, *self.webs = ports
        self.authority = trustme.CA()
        self.copy_program()
        self.lay_static_files()
        self.lay_database()
        self.lay_proxy()
        self.parts = {part.name: part for part in self.make_parts()}

    def copy_program(self):
        """Copy what the image would have: a file that is forgotten there is missed here."""
        self.app = self.folder / "app"
        self.app.mkdir()
        for sources, target in COPIED.findall(DOCKERFILE):
            for source in sources.split():
                if (ROOT / source).is_dir():
                    skip = shutil.ignore_patterns("__pycache__")
                    shutil.copytree(ROOT / source, self.app / target, ignore=skip)
                else:
                    shutil.copy(ROOT / source, self.app / target)

    def lay_static_files(self):
        """Once for the web servers and once for the proxy, as each image has them."""
        shutil.copytree(prepared() / "static", self.folder / "static")
        shutil.copytree(prepared() / "static", self.folder / "srv" / "static")

    def lay_database(self):
        place = self.folder / "database"
        place.mkdir()
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        self.unprivileged = AS_POSTGRES if os.geteuid() == 0 else {}
        if self.unprivileged:
            shutil.chown(place, "postgres", "postgres")
        arguments = COMPOSE["services"]["database"]["environment"]["POSTGRES_INITDB_ARGS"].split()
        subprocess.run(
            [
                *(postgres_programs() / "initdb", "--pgdata", place, "--username", "kingscore"),
                *("--auth", "scram-sha-256", "--pwfile", secret, *arguments),
            ],
            cwd="/",
            check=True,
            capture_output=True,
            **self.unprivileged,
        )

    def lay_proxy(self):
        """The proxy's own file, with ports that are free and a certificate of our own."""
        for name in ("cert", "key"):
            (self.folder / f"{name}.pem").touch()
        issued = self.authority.issue_cert("localhost")
        issued.private_key_and_cert_chain_pem.write_to_path(self.folder / "cert.pem")
        issued.private_key_pem.write_to_path(self.folder / "key.pem")
        here = (
            f"\n{{\n\tdefault_bind 127.0.0.1\n\thttp_port {self.http}\n\thttps_port {self.https}\n"
            f"\tadmin 127.0.0.1:{self.admin}\n"
        )
        text = (DEPLOY / "Caddyfile").read_text()
        text = text.replace("\n{\n", here, 1).replace("root * /srv", f"root * {self.folder}/srv")
        (self.folder / "Caddyfile").write_text(text)

    def make_parts(self):
        python = [str(self.folder / "app"), os.environ.get("PATH", "")]
        programs = {"cwd": python[0], "env": self.environment}
        yield Postgres(
            "postgres",
            [
                *(str(postgres_programs() / "postgres"), "-D", str(self.folder / "database")),
                *("-c", "listen_addresses=127.0.0.1", "-c", f"port={self.postgres_port}"),
                *("-c", "unix_socket_directories="),
            ],
            self.logs,
            self.database_answers,
            cwd="/",
            **self.unprivileged,
        )
        yield Part(
            "redis",
            [
                *("redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1"),
                *("--dir", str(self.folder), *COMPOSE["services"]["broker"]["command"][1:]),
            ],
            self.logs,
            lambda: listens_at(self.redis_port, b"PING\r\n", b"+PONG"),
        )
        for number, port in enumerate(self.webs, 1):
            words = [*json.loads(STARTED.findall(DOCKERFILE)[-1]), "--port", str(port)]
            words[words.index("0.0.0.0")] = "127.0.0.1"
            ready = lambda port=port: self.web_is_ready(port)  # noqa: E731 - one for each port
            yield Part(f"web {number}", words, self.logs, ready, **programs)
        for name in ("worker", "beat"):
            yield Part(name, COMPOSE["services"][name]["command"], self.logs, **programs)
        yield Part(
            "proxy",
            ["caddy", "run", "--adapter", "caddyfile", "--config", f"{self.folder}/Caddyfile"],
            self.logs,
            lambda: listens_at(self.https),
            env=self.environment | self.environment_of_proxy,
        )

    @property
    def environment(self):
        """What compose.yaml and the image say, with the doors of this machine."""
        kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        said = {
            name: re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: self.chosen[found[1]], value)
            .replace("@database/", f"@127.0.0.1:{self.postgres_port}/")
            .replace("//broker:6379/", f"//127.0.0.1:{self.redis_port}/")
            for name, value in COMPOSE["x-program"]["environment"].items()
        }
        return {
            **kept,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",
            # Compiled once for all: the copy is new to Python.
            "PYTHONPYCACHEPREFIX": str(self.folder / "compiled"),
            "DJANGO_SETTINGS_MODULE": "kingscore.settings",
            "KINGSCORE_DATA": str(self.folder / "data"),
            "KINGSCORE_STATIC": str(self.folder / "static"),
            **said,
        }

    @property
    def chosen(self):
        """What the host writes into .env."""
        return {
            "SITE": "localhost",
            "POSTGRES_PASSWORD": PASSWORD,
            "KINGSCORE_SECRET_KEY": SECRET_KEY,
        }

    @property
    def environment_of_proxy(self):
        return {
            "SITE": "localhost",
            "WEB": " ".join(f"127.0.0.1:{port}" for port in self.webs),
            "TLS": f"tls {self.folder}/cert.pem {self.folder}/key.pem",
            "XDG_DATA_HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder),
        }

    def database_answers(self):
        import psycopg

        url = self.environment["KINGSCORE_DATABASE_URL"].replace("/kingscore", "/postgres", 1)
        url = f"postgresql://kingscore:{PASSWORD}@127.0.0.1:{self.postgres_port}/postgres"
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def web_is_ready(self, port):
        """As a balancer of load asks, by the address of the machine and without TLS."""
        line = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            line.request("GET", "/readyz")
            return line.getresponse().status == 200
        except OSError:
            return False
        finally:
            line.close()

    def start(self):
        """Start everything in the order of compose.yaml."""
        for name in ("postgres", "redis"):
            self.parts[name].start()
        for name in ("postgres", "redis"):
            self.parts[name].wait()
        self.make_database()
        self.run(COMPOSE["services"]["migrate"]["command"])
        for part in self.parts.values():
            if part.process is None:
                part.start()
        for part in self.parts.values():
            part.wait()

    def make_database(self):
        import psycopg

        url = f"postgresql://kingscore:{PASSWORD}@127.0.0.1:{self.postgres_port}/postgres"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE kingscore")

    def run(self, words):
        """Run something once, as a container that ends would."""
        done = subprocess.run(
            words,
            cwd=self.app,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run_python(self, code):
        return self.run(["python", "-c", f"import django; django.setup()\n{code}"])

    def read_sheets(self):
        """Every game as the database has it, by its public id."""
        return json.loads(self.run_python(READ_SHEETS))

    def close(self):
        for part in self.parts.values():
            part.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def clock():
    """Seconds, to tell how long something took."""
    return time.monotonic()
