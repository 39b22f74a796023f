"""The examples of docs/api-examples.md, run with bash and curl against a real server."""

import os
import re
import subprocess
import sys

import pytest

from tests.servers import ROOT, prepared, serve
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "api-examples.md"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "-- example"

MAKE = """
from tests.factories import UserFactory
from tournaments.models import PersonalToken, Scope
account = UserFactory()
print(PersonalToken.objects.create(account, name="examples", scopes=list(Scope))[1])
"""

# What the worker does when it is woken.
WORK = """
import time
from django.utils import timezone
from tournaments.models import Report
from tournaments.tasks import build_report
while True:
    for pk in Report.objects.awaiting_build(timezone.now()).values_list("pk", flat=True):
        build_report(pk)
    time.sleep(0.3)
"""


def examples():
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    following = [*blocks[1:], ("sh", "")]
    for (kind, text), (next_kind, shown) in zip(blocks, following, strict=True):
        if kind == "sh":
            yield text, shown if next_kind == "text" else ""


@pytest.fixture
def worked(tmp_path):
    database = os.environ.get("KINGSCORE_DATABASE_URL")
    with serve(tmp_path / "data", database, "tests.api.served_settings", prepared()) as server:
        words = [sys.executable, "-c", f"import django; django.setup()\n{WORK}"]
        with subprocess.Popen(words, cwd=ROOT, env=server.environment) as worker:
            try:
                yield server, server.run_python(MAKE).strip()
            finally:
                worker.kill()


def test_examples_do_what_the_page_says(worked, tmp_path):
    server, token = worked
    told = list(examples())
    script = "set -eo pipefail\n" + "\n".join(f"echo '{MARK}'\n{block}" for block, _ in told)
    site = f"http://{server.host}:{server.port}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "SITE": site, "TOKEN": token},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{server.said[-3000:]}"
    printed = done.stdout.split(f"{MARK}\n")[1:]
    assert [text.strip() for text in printed] == [shown.strip() for _, shown in told]
