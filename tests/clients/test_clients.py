"""The generators that people use read the description, and what they make of it works.

Each is pinned: Python's in the group `clients` of uv.lock, TypeScript's in package-lock.json.
"""

import json
import shutil
from contextlib import closing
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from tests.clients.conftest import HERE
from tests.servers import ROOT, prepared, serve

pytestmark = pytest.mark.clients

SPEC = "openapi.json"
PACKAGE = "kingscore_client"

MAKE = """
from tests.club_factories import (
    ClubFactory, InvitationFactory, MemberFactory, PlayerFactory, SeasonFactory, TableFactory,
)
from tests.program_factories import WebhookFactory
from tournaments.models import PersonalToken, Role, Scope
club = ClubFactory(slug="moda")
owner = MemberFactory(club=club, role=Role.OWNER).user
TableFactory(round__event__club=club)
for factory in (InvitationFactory, MemberFactory, PlayerFactory, SeasonFactory, WebhookFactory):
    factory.create_batch(3, club=club)
print(PersonalToken.objects.create(owner, name="client", scopes=list(Scope))[1])
"""


@pytest.fixture(scope="session")
def python_client(run):
    config = HERE / "openapi-python-client.yaml"
    return run(
        *("openapi-python-client", "generate", "--path", SPEC, "--config", config),
        *("--meta", "none", "--output-path", PACKAGE, "--fail-on-warning"),
    )


@pytest.fixture(scope="session")
def typescript_clients(run):
    run("openapi-typescript", SPEC, "-o", "schema.ts", "--default-non-nullable=false")
    return [
        run("openapi-ts", "-i", SPEC, "-o", "hey-api", "-c", "@hey-api/client-fetch"),
        run("orval", "--input", SPEC, "--output", "orval/api.ts", "--client", "fetch"),
    ]


@pytest.fixture(scope="session")
def go_client(run, folder):
    generate("go", run, "--additional-properties=enumClassPrefix=true,packageName=kingscore")
    shutil.copytree(HERE / "go", folder / "generated-go", dirs_exist_ok=True)
    run("go", "build", "-C", "generated-go", "-o", "../evening", "./evening")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with serve(folder, None, "tests.api.served_settings", prepared()) as server:
        token = server.run_python(MAKE).splitlines()[-1]
        yield f"http://{server.host}:{server.port}", token, "moda"


def generate(language, run, *options):
    """Make a client by openapi-generator, in the folder `generated-LANGUAGE`."""
    place = f"generated-{language}"
    run("openapi-generator-cli", "generate", "-i", SPEC, "-g", language, "-o", place, *options)


def check_quiet(said):
    assert "warn" not in said.lower(), said


def test_validators_find_nothing(run):
    assert run("openapi-spec-validator", SPEC) == f"{SPEC}: OK\n"
    check_quiet(run("redocly", "lint", SPEC, "--config", HERE / "redocly.yaml"))


def test_python_client_has_all_operations_and_right_types(run, folder, python_client):
    check_quiet(python_client)
    paths = json.loads((folder / SPEC).read_text())["paths"]
    names = {operation["operationId"] for way in paths.values() for operation in way.values()}
    made = {file.stem for file in folder.glob(f"{PACKAGE}/api/*/*.py")} - {"__init__"}
    assert made == names
    run("mypy", "--strict", "--cache-dir", "checked", PACKAGE, "evening.py")


def test_models_of_pydantic_have_right_types_and_read_a_game(run, folder):
    said = run(
        *("datamodel-codegen", "--input", SPEC, "--input-file-type", "openapi"),
        *("--output", "models.py", "--output-model-type", "pydantic_v2.BaseModel"),
        *("--use-annotated", "--field-constraints", "--collapse-root-models"),
        *("--enum-field-as-literal", "all", "--target-python-version", "3.11"),
        *("--formatters", "builtin"),
    )
    assert said == ""
    run("mypy", "--strict", "--cache-dir", "checked", "models.py")
    examples = json.loads((HERE.parents[1] / "tournaments/api/examples/games.json").read_text())
    game = json.dumps(examples["schemas"]["Game"])
    read = "import sys, models; game = models.Game.model_validate_json(sys.argv[1]);"
    read += " print(type(game.entries[0].entry).__name__, game.result.totals)"
    assert run("python", "-c", read, game) == "DealEntry [0, 0, -320, 0]\n"


def test_typescript_clients_have_right_types(run, typescript_clients):
    for said in typescript_clients:
        check_quiet(said)
    run("tsc", "--project", "tsconfig.json")


@pytest.mark.usefixtures("python_client")
def test_evening_by_the_python_client(run, site):
    said = run("python", "evening.py", *site)
    assert said.startswith("20 deals, finished: True\n"), said
    # Each list has a line.
    assert len(said.splitlines()) > 12, said
    assert int(said.split()[-2]) > 0, said


@pytest.mark.usefixtures("typescript_clients")
def test_evening_by_a_typescript_client(run, site):
    said = run("node", "evening.ts", *site)
    assert said.startswith("20 deals, finished: true\n"), said
    assert int(said.split()[-2]) > 0, said


def test_openapi_generator_makes_python_and_typescript_that_compile(run):
    generate("python", run)
    # The package imports all of its modules.
    run("env", "-C", "generated-python", "python", "-c", "import openapi_client")
    generate("typescript-fetch", run)
    options = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022")
    run("tsc", *options, "generated-typescript-fetch/index.ts")


@pytest.mark.usefixtures("go_client")
def test_evening_by_a_go_client(run, site):
    printed = run("./evening", *site)
    deals, players, changes = printed.splitlines()
    assert deals == "20 deals, finished: true"
    # More than a page of them.
    assert int(players.split()[0]) > 2
    assert int(changes.split()[0]) > 0


class LossyProxy(BaseHTTPRequestHandler):
    """Answers 503 to every fifth request, and loses the answer to every third."""

    protocol_version = "HTTP/1.1"
    statuses: ClassVar[list[int]] = []

    def pass_on(self):
        number = len(self.statuses)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if number % 5 == 4:
            self.statuses.append(503)
            self.send_error(503)
            return
        site = HTTPConnection(self.server.site)
        site.request(self.command, self.path, body, dict(self.headers))
        with closing(site), site.getresponse() as response:
            self.statuses.append(response.status)
            # The answer to a change other than POST is never repeated.
            if number % 3 == 2 and self.command != "PUT":
                self.close_connection = True
                return
            self.send_response(response.status)
            content = response.read()
            for name, value in response.getheaders():
                if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = pass_on  # noqa: N815

    def log_message(self, *words):
        pass


@pytest.fixture
def lossy_site(site):
    address, *others = site
    LossyProxy.statuses.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), LossyProxy) as server:
        server.site = address.removeprefix("http://")
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", *others
        server.shutdown()


@pytest.fixture(scope="session")
def official(folder):
    """Unpack what `make clients` has built; return a folder in which programs find it."""
    made, place = ROOT / "dist" / "clients", folder / "official"
    shutil.copytree(HERE / "official", place)
    shutil.unpack_archive(next(made.glob("*.tgz")), place / "node_modules")
    (place / "node_modules" / "package").rename(place / "node_modules" / "kingscore-client")
    shutil.unpack_archive(next(made.glob("*.whl")), place, "zip")
    return place


@pytest.mark.parametrize(
    ("programs", "refusals"),
    [
        (("python", "evening.py"), ("Invalid", "Changed", "NoAccess")),
        (("node", "evening.ts"), ("422", "412", "401")),
    ],
)
def test_official_client_repeats_what_is_lost_and_writes_it_once(
    run, official, lossy_site, programs, refusals
):
    printed = run("env", "-C", official, *programs, *lossy_site)

    entries, players, *found = printed.splitlines()
    assert entries == "2"
    assert int(players) > 2
    codes = ("invalid", "changed-meanwhile", "unauthenticated")
    assert found == [" ".join(pair) for pair in zip(refusals, codes, strict=True)]
    # Some requests were lost; the second reading of the game was answered 304.
    assert {503, 304} <= {*LossyProxy.statuses}
    assert LossyProxy.statuses.count(201) > 3


def test_programs_of_the_official_clients_have_right_types(run, official):
    checked = ("--cache-dir", "checked", "kingscore_client/connection.py")
    run("env", "-C", official, "mypy", "--strict", *checked)
    run("tsc", "--project", official)
