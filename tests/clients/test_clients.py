"""The generators that people use read the description, and what they make of it works.

Each is pinned: Python's in the group `clients` of uv.lock, TypeScript's in package-lock.json.
"""

import json
import shutil

import pytest

from tests.clients.conftest import HERE
from tests.servers import prepared, serve

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
