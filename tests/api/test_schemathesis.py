"""Schemathesis asks a real server at every address, with what the description says and with worse.

The server is gunicorn as `up` starts it; with KINGSCORE_DATABASE_URL it works on PostgreSQL.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import prepared, serve
from tests.waiting import PATIENCE
from tournaments.api.reference.views import content

pytestmark = pytest.mark.slow

# For each address: 45 make more than 10,000 calls, in a quarter of an hour.
CASES = os.environ.get("KINGSCORE_TEST_CASES", "1")

CHECKS = ",".join(
    f"{check}_conformance" for check in ("status_code", "content_type", "response_headers")
)
CHECKS += ",not_a_server_error,response_schema_conformance"

MAKE = """
import json
from tests.api.addresses import places_of
from tests.api.access_world import make_programs
programs = make_programs()
print(json.dumps({"token": programs.tokens["owner"], "places": places_of(programs.world)}))
"""

RUNS = {
    "reading and writing": ("--exclude-method", "DELETE"),
    "removing": ("--include-method", "DELETE"),
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    (folder / "openapi.json").write_bytes(content()[0])
    database = os.environ.get("KINGSCORE_DATABASE_URL")
    with serve(folder, database, "tests.api.served_settings", prepared()) as server:
        made = json.loads(server.run_python(MAKE).splitlines()[-1])
        config = folder / "schemathesis.toml"
        config.write_text(config_of(made, f"http://{server.host}:{server.port}"))
        yield folder, config


def config_of(made, address):
    """Where the server is, who asks, and what there is at each address."""
    head = {"Authorization": f"Bearer {made['token']}", "Accept-Language": "en"}
    lines = [
        f"base-url = {json.dumps(address)}",
        "headers = " + table(head),
        "[generation]",
        'database = "none"',
    ]
    for path, place in made["places"].items():
        values = {f"path.{name}": value for name, value in place.items()}
        lines += [
            "[[operations]]",
            f"include-path = {json.dumps(path)}",
            f"parameters = {table(values)}",
        ]
    return "\n".join(lines) + "\n"


def table(values):
    return "{ " + ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in values.items()) + " }"


@pytest.mark.parametrize("which", RUNS.values(), ids=RUNS)
def test_no_answer_breaks_what_the_description_says(asked, which):
    folder, config = asked
    st = Path(sys.executable).parent / "st"
    done = subprocess.run(
        [
            *(st, "--config-file", config, "run", "openapi.json", *which),
            *("--checks", CHECKS, "--seed", "8", "--max-examples", CASES, "--workers", "1"),
            *("--phases", "examples,fuzzing", "--no-color", "--no-shrink", "--warnings", "off"),
            *("--continue-on-failure", "--suppress-health-check", "all"),
        ],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    said = f"{done.stdout}\n{(folder / 'log').read_text()[-20_000:]}"
    assert done.returncode == 0, said
    counted = dict(re.findall(r"(Selected|Tested): (\d+)", done.stdout))
    # For the largest bodies Hypothesis finds, seldom, no case within its own limits.
    assert 0 <= int(counted["Selected"]) - int(counted["Tested"]) <= 1 < int(counted["Tested"])
