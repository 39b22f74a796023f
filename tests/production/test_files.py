"""The files of deploy/ agree with each other and with the project; nothing runs here."""

import re

import pytest
from ruamel.yaml import YAML

from tests.production.laying import COPIED, DEPLOY, DOCKERFILE
from tests.servers import ROOT

NEEDED = re.compile(r"\$\{(\w+):\?")
SAID = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)


def test_what_is_copied_into_the_image_is_let_through_and_nothing_else():
    copied = {source for sources, _ in COPIED.findall(DOCKERFILE) for source in sources.split()}
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert "*" in ignored
    through = {line[1:] for line in ignored if line.startswith("!")}
    assert through == copied | {"deploy/Caddyfile"}


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
