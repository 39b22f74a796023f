"""The files of deploy/ agree with each other and with the project; nothing runs here."""

import re

import pytest
from ruamel.yaml import YAML

from tests.production.laying import COPIED, DEPLOY, DOCKERFILE
from tests.servers import ROOT

NEEDED = re.compile(r"\$\{(\w+):\?")
SAID = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)
IMAGE = re.compile(r"^FROM (\S+)|^\s+image: (\S+)$", re.MULTILINE)
EXACT = re.compile(r"[\w./-]+:\d+\.\d+\.?\d*-[\w-]+")


def test_image_takes_the_uv_of_the_makefile():
    makefile = re.search(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert re.findall(r"uv==(\S+)", DOCKERFILE) == [makefile[1]]


def test_what_is_copied_into_the_image_is_let_through_and_nothing_else():
    copied = {source for sources, _ in COPIED.findall(DOCKERFILE) for source in sources.split()}
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert "*" in ignored
    through = {line[1:] for line in ignored if line.startswith("!")}
    assert through == copied | {"deploy/Caddyfile"}


def test_images_of_others_are_of_one_version_exactly():
    texts = [DOCKERFILE, (DEPLOY / "compose.yaml").read_text()]
    own = {"python", "kingscore:local", "kingscore-proxy:local"}
    named = {a or b for text in texts for a, b in IMAGE.findall(text)} - own

    assert len(named) == 4
    assert [name for name in named if not EXACT.fullmatch(name)] == []


def services():
    paths = sorted(DEPLOY.glob("compose*.yaml"))
    files = {path.stem: YAML(typ="safe").load(path.read_text())["services"] for path in paths}
    return [
        pytest.param(service, id=f"{stem}-{name}")
        for stem, found in files.items()
        for name, service in found.items()
    ]


@pytest.mark.parametrize("service", services())
def test_service_has_no_more_rights_and_room_than_it_needs(service):
    assert service["cap_drop"] == ["ALL"]
    assert set(service.get("cap_add", ())) <= {
        *("CHOWN", "FOWNER", "DAC_OVERRIDE", "SETUID", "SETGID", "NET_BIND_SERVICE")
    }
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert service["mem_limit"]
    assert service["pids_limit"] > 0
    assert not service.get("privileged")
    # Its log does not fill the disk.
    assert service["logging"]["options"]["max-size"] == "10m"


def test_example_leaves_every_secret_to_the_host():
    said = dict(SAID.findall((DEPLOY / "example.env").read_text()))
    needed = set(NEEDED.findall((DEPLOY / "compose.yaml").read_text()))

    assert needed == {"SITE", "POSTGRES_PASSWORD", "KINGSCORE_SECRET_KEY"}
    assert {said[name] for name in needed} == {""}
